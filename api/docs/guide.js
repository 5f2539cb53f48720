"use strict";

const field = document.getElementById("search");
const found = document.getElementById("found");
const list = document.getElementById("list");

let passages; // a promise of all parts of the guides, asked for once

function load() {
  passages ??= fetch("/docs/guides.json").then((answer) => answer.json());
  return passages;
}

// rank is how well a part has all words; 0: it lacks one.
function rank(part, words) {
  const heading = (part.page + " " + part.heading).toLowerCase();
  const text = part.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (heading.includes(word)) {
      sum += 10;
    } else if (text.includes(word)) {
      sum += 1;
    } else {
      return 0;
    }
  }
  return sum;
}

function item(part) {
  const link = document.createElement("a");
  link.href = part.path;
  link.textContent = part.heading;
  const page = document.createElement("small");
  page.textContent = part.page;
  const row = document.createElement("li");
  row.append(link, page);
  return row;
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  list.hidden = words.length > 0;
  const hits = (await load())
    .map((part) => ({ part, rank: rank(part, words) }))
    .filter((hit) => hit.rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, 30);
  found.replaceChildren(...hits.map((hit) => item(hit.part)));
}

field.addEventListener("input", search);
