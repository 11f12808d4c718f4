"use strict";
// Pointing at a note of the graph lights up the note, its arrows and what they join.
(() => {
  const graph = document.querySelector(".graph");
  if (!graph) return;
  const arrows = [...graph.querySelectorAll("path.arrow")];
  const boxes = new Map([...graph.querySelectorAll(".box")].map((box) => [box.dataset.n, box]));
  const clear = () => {
    graph.classList.remove("pointed");
    for (const item of graph.querySelectorAll(".lit")) item.classList.remove("lit");
  };
  const light = (number) => {
    clear();
    graph.classList.add("pointed");
    boxes.get(number).classList.add("lit");
    for (const arrow of arrows) {
      const { a, b } = arrow.dataset;
      if (a !== number && b !== number) continue;
      for (const item of [arrow, boxes.get(a), boxes.get(b)]) item.classList.add("lit");
    }
  };
  for (const [number, box] of boxes) {
    box.addEventListener("pointerenter", () => light(number));
    box.addEventListener("pointerleave", clear);
    box.addEventListener("focus", () => light(number));
    box.addEventListener("blur", clear);
  }
})();
