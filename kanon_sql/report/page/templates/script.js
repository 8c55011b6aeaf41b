// The page says everything without it: before printing whatever is folded is unfolded.
"use strict";
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
});
