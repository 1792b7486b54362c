// Take it away: the documents as JSON, tables as CSV, the picture as SVG and PNG, the question as a link.

import { answersTable, edgesTable, evidenceTable } from "./csv.js";
import { h, icon } from "./dom.js";
import { words } from "./question.js";

const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-size",
  "font-weight",
  "font-family",
  "paint-order",
  "letter-spacing",
];
const SCALE = 2;

/** ``state()``: {question, prediction, explanation, walk, picture, report()}; ``tell(text)`` announces. */
export function exportMenu(state, tell) {
  const entries = [
    [
      "Everything as JSON",
      "json",
      () =>
        text(
          "json",
          "application/json",
          JSON.stringify({ prediction: state().prediction, explanation: state().explanation }, null, 2),
        ),
    ],
    ["Report as HTML", "html", async () => ({ ending: "html", content: await state().report() })],
    ["Answers as CSV", "csv", () => text("csv", "text/csv", answersTable(state().prediction))],
    [
      "Measured events as CSV",
      "evidence.csv",
      () => text("evidence.csv", "text/csv", evidenceTable(state().explanation)),
    ],
    ["Strongest edges as CSV", "edges.csv", () => text("edges.csv", "text/csv", edgesTable(state().walk.document))],
    ["Picture as SVG", "svg", () => text("svg", "image/svg+xml", pictureText(state()))],
    ["Picture as PNG", "png", async () => ({ ending: "png", content: await pictureBytes(state()) })],
  ];
  const list = h("div", { class: "menu-list", role: "menu", "aria-label": "Copy and save", hidden: true });
  const toggle = h(
    "button",
    {
      type: "button",
      class: "icon-button",
      id: "export-button",
      "aria-label": "Copy and save",
      title: "Copy and save",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
    },
    icon("share"),
  );
  const menu = h("div", { class: "menu" }, toggle, list);
  const items = [];
  const add = (name, id, work) => {
    const item = h(
      "button",
      { type: "button", role: "menuitem", "data-export": id, tabindex: "-1", onclick: () => run(work) },
      name,
    );
    items.push(item);
    return item;
  };
  const copyable = Boolean(navigator.clipboard && window.ClipboardItem);
  list.append(
    add("Copy link to this question", "link", async () => {
      await navigator.clipboard.writeText(location.href);
      tell("The link is copied.");
    }),
    h("div", { class: "menu-name", role: "presentation" }, "Save"),
    ...entries.map(([name, id, make]) =>
      add(name, `save-${id}`, async () => save(await make(), state().question, tell)),
    ),
    ...(copyable ? [h("div", { class: "menu-name", role: "presentation" }, "Copy")] : []),
    ...(copyable
      ? entries
          .filter(([, id]) => id !== "html")
          .map(([name, id, make]) => add(name, `copy-${id}`, async () => copy(await make(), tell)))
      : []),
  );

  async function run(work) {
    open(false);
    toggle.focus();
    try {
      await work();
    } catch (error) {
      tell(`That did not work: ${error.message}`);
    }
  }

  function open(wanted) {
    list.hidden = !wanted;
    toggle.setAttribute("aria-expanded", String(wanted));
    if (wanted) items[0].focus();
  }

  toggle.addEventListener("click", () => open(list.hidden));
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget)) open(false);
  });
  menu.addEventListener("keydown", (event) => {
    const at = items.indexOf(document.activeElement);
    const move = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape") {
      open(false);
      toggle.focus();
    } else if (move !== undefined && !list.hidden) {
      event.preventDefault();
      items[move % items.length].focus();
    }
  });
  return menu;
}

function text(ending, kind, content) {
  return { ending, content: new Blob([content], { type: `${kind};charset=utf-8` }), plain: content };
}

function save({ ending, content }, question, tell) {
  const name = `tgap ${words(question)}`.replace(/[^\p{L}\p{N}-]+/gu, "-").slice(0, 80);
  saveFile(`${name}.${ending}`, content);
  tell("Saved.");
}

function saveFile(name, content) {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Save a text as a file. */
export function saveText(name, kind, content) {
  saveFile(name, text(name, kind, content).content);
}

async function copy({ content, plain }, tell) {
  if (plain !== undefined) await navigator.clipboard.writeText(plain);
  else await navigator.clipboard.write([new ClipboardItem({ [content.type]: content })]);
  tell("Copied.");
}

/** Text that XML may hold: a name may have control characters, XML may not. */
const wellFormed = (text) => text.replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, "\ufffd").toWellFormed();

/** The picture as a file of its own: styles written into it, the question above it. */
function pictureText({ question, picture, walk }) {
  const { svg, layout } = picture;
  const copied = svg.cloneNode(true);
  const originals = svg.querySelectorAll("*");
  copied.querySelectorAll("*").forEach((element, place) => {
    const style = getComputedStyle(originals[place]);
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
    for (const name of [
      "class",
      "tabindex",
      "role",
      "aria-label",
      "data-step",
      "data-column",
      "data-name",
      "data-path",
    ])
      element.removeAttribute(name);
  });
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const make = (tag, attributes, content) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (content) element.textContent = content;
    return element;
  };
  const head = 44;
  const height = layout.height + head;
  const inner = make("g", { transform: `translate(0 ${head})` });
  inner.append(...copied.childNodes);
  const font = "Inter, 'Segoe UI', system-ui, Arial, sans-serif";
  const whole = make("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width: layout.width,
    height,
    viewBox: `0 0 ${layout.width} ${height}`,
  });
  whole.append(
    make("rect", { width: layout.width, height, fill: colour("--surface") }),
    make(
      "text",
      { x: 20, y: 30, fill: colour("--ink"), "font-size": 16, "font-weight": 650, "font-family": font },
      `${words(question)}  →  ${walk.answer}`,
    ),
    inner,
  );
  return wellFormed(new XMLSerializer().serializeToString(whole));
}

async function pictureBytes(state) {
  const { width, height } = state.picture.layout;
  const image = new Image();
  const address = URL.createObjectURL(new Blob([pictureText(state)], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = h("canvas", { width: width * SCALE, height: (height + 44) * SCALE });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser could not draw it"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}
