// Where pages are opened as files, browsers start no worker from them: a hidden frame executes the search instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.document.open();
      inside.postMessage = (data) => setTimeout(() => this.give(this, data));
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.give(inside, data));
      };
      inside.document.write("<body></body>");
      inside.document.close();
      inside.document.body.append(script);
    }
    give(target, data) {
      const event = new MessageEvent("message", { data: structuredClone(data) });
      target.dispatchEvent(event);
      if (target === this && this.onmessage) this.onmessage(event);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.give(this.frame.contentWindow, data);
    }
    terminate() {
      this.frame.remove();
    }
  };
}
