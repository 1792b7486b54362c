// A text field with suggestions, as the ARIA practices describe a combobox with a list: arrows move, Enter takes,
// Escape closes, the pointer takes too.

import { get } from "./api.js";
import { debounced, h } from "./dom.js";
import { counted } from "./format.js";

const WAIT = 70;

/** ``parameters()`` gives what the search should know besides the text; ``taken(name)`` hears a choice. */
export function combobox(input, kind, parameters, taken) {
  const list = h("ul", { id: `${input.id}-list`, class: "suggestions", role: "listbox", hidden: true });
  list.setAttribute("aria-label", kind === "entity" ? "Entities" : "Relations");
  input.after(list);
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": list.id,
  })) {
    input.setAttribute(name, value);
  }
  let options = [];
  let active = -1;
  let newest = null;
  let listed = null; // the text that the list belongs to
  let wanted = false; // Enter was pressed while the list still belonged to an older text

  const look = debounced(async () => {
    newest?.abort();
    newest = new AbortController();
    try {
      const typed = input.value.trim();
      const found = await get("search", { kind, q: typed, limit: 12, ...parameters() }, newest.signal);
      if (document.activeElement !== input || typed !== input.value.trim()) return;
      show(found.matches, typed);
      if (wanted && options.length) take(0);
    } catch (error) {
      if (error.name !== "AbortError") close(); // the question itself will tell what is wrong
    }
  }, WAIT);

  function show(matches, typed) {
    listed = typed;
    options = matches.map((match, place) =>
      h(
        "li",
        {
          id: `${list.id}-${place}`,
          role: "option",
          "aria-selected": "false",
          onpointerdown: (event) => {
            event.preventDefault();
            take(place);
          },
        },
        h("span", { class: "name" }, ...marked(match)),
        h("span", { class: "count" }, counted(match.facts, "fact")),
      ),
    );
    list.replaceChildren(...options.map((option) => option));
    if (!options.length)
      list.append(h("li", { class: "none", role: "option", "aria-disabled": "true" }, "No such name"));
    options.forEach((option, place) => {
      option.dataset.name = matches[place].name;
    });
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    move(typed && options.length ? 0 : -1);
  }

  function move(place) {
    options[active]?.setAttribute("aria-selected", "false");
    active = place;
    const option = options[active];
    if (option) {
      option.setAttribute("aria-selected", "true");
      option.scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", option.id);
    } else {
      input.removeAttribute("aria-activedescendant");
    }
  }

  function take(place) {
    input.value = options[place].dataset.name;
    close();
    taken(input.value);
  }

  function close() {
    look.cancel();
    newest?.abort();
    list.hidden = true;
    active = -1;
    wanted = false;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  input.addEventListener("input", () => {
    wanted = false;
    look();
  });
  input.addEventListener("focus", () => {
    input.select();
    const lacking = !input.value && input.hasAttribute("aria-invalid"); // a list would hide what is said about it
    if (!lacking) look();
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const count = options.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) look();
      else if (count) move((active + (event.key === "ArrowDown" ? 1 : -1) + count) % count);
    } else if (event.key === "Enter" && !list.hidden && listed !== input.value.trim()) {
      event.preventDefault(); // what is marked was meant for fewer letters: take the best of the list to come
      wanted = true;
    } else if (event.key === "Enter" && !list.hidden && active >= 0) {
      event.preventDefault();
      take(active);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
}

/** A name with the letters marked that were meant. */
function marked({ name, spans }) {
  const letters = [...spans].flatMap(([from, to], place) => {
    const before = name.slice(place ? spans[place - 1][1] : 0, from);
    return [before, h("mark", {}, name.slice(from, to))];
  });
  return [...letters, name.slice(spans.at(-1)?.[1] ?? 0)];
}
