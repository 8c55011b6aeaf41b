"""Pages as a browser shows them: a window of a size and a scheme, and what is wrong with the page in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from servers import chromium

WIDTHS = (360, 800, 1400)
PAPER = 718  # pixels between the margins of A4
_HEIGHT = 900
_MOST_TABS = 3000

# What a reader cannot see, or only by pushing the page aside: a list of words for each.
_LAYOUT = """() => {
  const faults = [];
  const said = (one) => `<${one.tagName.toLowerCase()} class="${one.getAttribute("class") ?? ""}"> `
    + `"${(one.textContent ?? "").trim().slice(0, 40)}"`;
  const root = document.documentElement;
  const room = root.clientWidth;
  if (root.scrollWidth > room) {
    faults.push(`the page is ${root.scrollWidth} wide in a window of ${room}`);
    for (const one of document.body.querySelectorAll("*")) {
      if (one.getBoundingClientRect().right > room + 1 && !one.closest("svg *")) faults.push(`  ${said(one)}`);
    }
  }
  for (const drawing of document.querySelectorAll("svg")) {
    const frame = drawing.getBoundingClientRect();
    if (!frame.width || !drawing.checkVisibility({visibilityProperty: true})) continue;
    for (let box = drawing.parentElement; box && box !== document.body; box = box.parentElement) {
      if (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible") {
        faults.push(`a drawing of ${frame.width} stands in a box of ${box.clientWidth} that scrolls`);
        break;
      }
    }
    if (drawing.hasAttribute("data-zoomed")) continue;
    for (const text of drawing.querySelectorAll("text")) {
      const place = text.getBoundingClientRect();
      if (!place.width || !text.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
      const scale = text.getScreenCTM();
      const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(scale.a, scale.b);
      if (size < SMALLEST) faults.push(`${said(text)} is ${size.toFixed(1)} pixels high`);
      if (place.left < frame.left - 1 || place.right > frame.right + 1 || place.top < frame.top - 1
          || place.bottom > frame.bottom + 1) faults.push(`${said(text)} ends outside of its drawing`);
    }
  }
  const blocks = "h1, h2, h3, h4, p, li, dt, dd, td, th, button, summary, figcaption, caption";
  for (const box of document.querySelectorAll(blocks)) {
    const style = getComputedStyle(box);
    if (style.overflowX !== "visible" && box.scrollWidth > box.clientWidth + 1 && style.display !== "inline"
        && box.clientWidth > 2) faults.push(`${said(box)} is cut`);
  }
  return [...new Set(faults)];
}"""

# Texts of drawings that can hardly be read on what lies below them: axe-core looks at no drawing.
_CONTRAST = """() => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([red, green, blue]) => [red, green, blue].map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0);
  const over = (above, below) => {
    const alpha = above[3] ?? 1;
    return [0, 1, 2].map((place) => above[place] * alpha + below[place] * (1 - alpha));
  };
  const holds = (shape, {left, top, width, height}) => shape.isPointInFill(
    new DOMPoint(left + width / 2, top + height / 2).matrixTransform(shape.getScreenCTM().inverse()));
  const faults = new Set();
  for (const text of document.querySelectorAll("svg text")) {
    if (!text.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    text.scrollIntoView({block: "center"});
    const place = text.getBoundingClientRect();
    if (!place.width || !text.textContent.trim()) continue;
    const below = document.elementsFromPoint(place.left + place.width / 2, place.top + place.height / 2).reverse();
    let ground = [255, 255, 255];
    for (const one of below) {
      if (one.closest("text")) continue;
      const style = getComputedStyle(one);
      const drawn = one instanceof SVGGeometryElement;
      const colour = parts(drawn ? style.fill : style.backgroundColor);
      if (colour.length < 3 || (drawn && (style.fill === "none" || !holds(one, place)))) continue;
      const alpha = (colour[3] ?? 1) * (drawn ? Number(style.fillOpacity) : 1) * Number(style.opacity);
      ground = over([...colour.slice(0, 3), alpha], ground);
    }
    const style = getComputedStyle(text);
    const ink = over([...parts(style.fill).slice(0, 3), Number(style.opacity) * Number(style.fillOpacity)], ground);
    const [one, other] = [light(ink), light(ground)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) faults.add(`contrast ${ratio.toFixed(1)}: "${text.textContent.trim().slice(0, 40)}" in a drawing`);
  }
  return [...faults];
}"""

# What must be reached by the Tab key, with a number on each; opened first, so that nothing hides in a closed part.
_REACHABLE = """() => {
  for (const part of document.querySelectorAll("details")) part.open = true;
  const found = [];
  for (const one of document.querySelectorAll("*")) {
    if (one.tabIndex >= 0 && !one.disabled && one.checkVisibility({visibilityProperty: true})) {
      one.dataset.reached = "no";
      found.push(one);
    }
  }
  return found.length;
}"""

# Notes of each element that gets the focus whether a reader sees that it has it.
_WATCH = """() => {
  window.focused = [];
  document.activeElement?.blur();
  getSelection().removeAllRanges();
  scrollTo(0, 0);
  const seen = (style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
    || style.boxShadow !== "none";
  document.addEventListener("focusin", ({target: one}) => {
    if (one.dataset.reached !== "no") return;
    one.dataset.reached = "yes";
    const place = one.getBoundingClientRect();
    const what = ![one, ...one.querySelectorAll("*")].some((each) => seen(getComputedStyle(each))) ? "unseen"
      : !place.width && !place.height ? "empty" : place.right < 0 || place.left > innerWidth ? "outside" : "";
    if (what) window.focused.push(`the focus is ${what}: <${one.tagName.toLowerCase()} `
      + `class="${one.getAttribute("class") ?? ""}"> "${(one.textContent ?? "").trim().slice(0, 40)}"`);
  });
}"""

# What answers to the mouse and not to the keyboard.
_MOUSE_ONLY = """() => [...document.querySelectorAll("*")]
  .filter((one) => getComputedStyle(one).cursor === "pointer" && one.checkVisibility())
  .filter((one) => !one.closest("a, button, summary, label, input, select, [tabindex]"))
  .map((one) => `<${one.tagName.toLowerCase()} class="${one.getAttribute("class") ?? ""}">`)"""

_NOT_REACHED = """() => [...document.querySelectorAll('[data-reached="no"]')]
  .map((one) => `<${one.tagName.toLowerCase()} class="${one.getAttribute("class") ?? ""}">`)"""

_SMALLEST = 8.5


@dataclass
class Window:
    """A page in a window; `said` is what it wrote to the console or wanted to ask, `asked` whom it asked for more."""

    page: Any
    url: str
    said: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def resize(self, width: int, scheme: str, medium: str = "screen") -> None:
        """Makes it this wide, and light or dark, as on a screen or as on paper."""
        self.page.set_viewport_size({"width": width, "height": _HEIGHT})
        self.page.emulate_media(color_scheme=scheme, media=medium)

    def background(self) -> str:
        """The colour of the sheet."""
        return str(self.page.evaluate("() => getComputedStyle(document.body).backgroundColor"))

    def layout(self) -> list[str]:
        """What is cut, too small, or wider than the window."""
        return list(self.page.evaluate(_LAYOUT.replace("SMALLEST", str(_SMALLEST))))

    def noise(self) -> list[str]:
        """What was said and asked for; nothing but the page itself may be."""
        others = [url for url in self.requests if url.partition("#")[0] != self.url and not url.startswith("data:")]
        return self.said + [f"a request: {url}" for url in others]

    def keyboard(self) -> list[str]:
        """What the Tab key does not reach, or reaches unseen."""
        count = int(self.page.evaluate(_REACHABLE))
        faults = [f"answers to the mouse alone: {element}" for element in self.page.evaluate(_MOUSE_ONLY)]
        self.page.evaluate(_WATCH)
        for _ in range(min(count, _MOST_TABS) + 2):
            self.page.keyboard.press("Tab")
        faults += self.page.evaluate("() => window.focused")
        return faults + [f"not reached by Tab: {element}" for element in self.page.evaluate(_NOT_REACHED)]

    def violations(self, *rules: str) -> list[str]:
        """What axe-core finds (WCAG 2 A and AA, and its best practices), and texts of drawings without contrast."""
        from axe_playwright_python.sync_playwright import Axe

        options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
        violated = Axe().run(self.page, options=options).response["violations"]
        faults = [
            f"{rule['id']}: {node['target']} {' '.join(node['failureSummary'].split())}"
            for rule in violated
            for node in rule["nodes"][:5]
        ]
        return faults + list(self.page.evaluate(_CONTRAST))

    def texts(self) -> str:
        """What a reader can read of it, drawings and closed parts among it."""
        return str(self.page.evaluate("() => document.body.innerText"))


@dataclass
class Browser:
    """A browser that opens windows; others reach it at its `url`."""

    client: Any
    url: str

    @contextmanager
    def window(self, path: Path, width: int = 800, scheme: str = "light", *, scripts: bool = True) -> Iterator[Window]:
        """The page of a file. With `scripts` off it is as in a viewer that runs none."""
        context = self.client.new_context(
            viewport={"width": width, "height": _HEIGHT}, color_scheme=scheme, java_script_enabled=scripts
        )
        try:
            page = context.new_page()
            window = Window(page, path.resolve().as_uri())
            page.on("console", lambda message: window.said.append(f"{message.type}: {message.text}"))
            page.on("pageerror", lambda error: window.said.append(f"an error: {error}"))
            page.on("dialog", _dismisser(window.said))
            page.on("request", lambda request: window.requests.append(request.url))
            page.goto(window.url)
            yield window
        finally:
            context.close()


def _dismisser(said: list[str]) -> Callable[[Any], None]:
    def dismiss(dialog: Any) -> None:
        said.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    return dismiss


@contextmanager
def browser() -> Iterator[Browser]:
    """The browser that the environment names, else one of its own."""
    from playwright.sync_api import sync_playwright

    with chromium() as url, sync_playwright() as playwright:
        client = playwright.chromium.connect_over_cdp(url)
        try:
            yield Browser(client, url)
        finally:
            client.close()


def dumped(faults: list[str]) -> str:
    """Faults as lines of an assertion."""
    return "\n".join(faults) if len(faults) < 40 else "\n".join([*faults[:40], f"... {len(faults)} in all"])
