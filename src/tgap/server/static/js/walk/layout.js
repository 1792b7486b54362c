// Where everything in the picture goes: a column a step, entities ordered so that links cross little, the last column
// ordered by weight. Pure: numbers in, pixels out.

const TOP = 46;
const ROW = 47;
const MOST = 11; // entities in a column
const SHOWN_PATHS = 3;
const BAND = 30; // below the entities, for what is not drawn

const radius = (weight) => 4 + 14 * Math.sqrt(weight);
const thickness = (weight) => 1.4 + 13 * Math.sqrt(weight);

/**
 * Columns, links and waits. ``view`` names the weight of links and entities; links below the threshold are left out,
 * unless a heavy walk takes them, and so are those for whose ends there is no room.
 */
export function layOut(walk, { view, threshold, width }) {
  const left = Math.min(64, width * 0.085);
  const right = Math.min(290, Math.max(148, width * 0.22));
  const gap = (width - left - right) / walk.length;
  const { names, links, rest } = choose(walk, view, threshold);
  const order = arrange(walk, view, names, links);
  const rows = Math.max(...order.map((column) => column.length), 3);
  const inner = TOP + ROW * rows + 18;
  const columns = order.map((column, place) => ({
    x: left + gap * place,
    nodes: column.map((name, row) => {
      const weight = walk.nodes[place].get(name)[view];
      const free = inner - TOP - 12;
      return {
        name,
        column: place,
        weight,
        x: left + gap * place,
        y: TOP + (free / column.length) * (row + 0.5),
        r: radius(weight),
      };
    }),
  }));
  const at = new Map(
    columns.flatMap((column, place) => column.nodes.map((node) => [`${place}\u0000${node.name}`, node])),
  );
  return {
    width,
    height: inner + BAND,
    gap,
    right,
    columns,
    bands: rest.map((share, step) => ({
      share,
      width: thickness(share),
      x0: left + gap * step + 14,
      x1: left + gap * (step + 1) - 14,
      y: inner + 4,
    })),
    links: route(links, view, at),
    waits: walk.paths.slice(0, SHOWN_PATHS).flatMap((path) => waits(path, at)),
  };
}

export const isHeavy = (link) => link.walks.some((place) => place < SHOWN_PATHS);

/**
 * Entities of each column and the links between them, and per step what all smaller links carry. Heavy walks come
 * first; then link after link, heaviest first, until a column is full: from there on a step is closed.
 */
function choose(walk, view, threshold) {
  const names = Array.from({ length: walk.length + 1 }, () => new Set());
  names[0].add(walk.start);
  names[walk.length].add(walk.answer);
  for (const path of walk.paths.slice(0, SHOWN_PATHS)) {
    for (const [place, name] of path.entities.entries()) names[place].add(name);
  }
  const links = walk.links.map((step) => step.filter(isHeavy));
  const rest = walk.steps.map((step) => step[view === "attention" ? "moved" : "moved_share"]);
  const smaller = view === "attention" ? "rest_attention" : "rest_share";
  const closed = new Set();
  const falling = walk.links.flat().sort((a, b) => b[view] - a[view]);
  for (const link of falling) {
    const step = link.step - 1;
    const ends = [names[step], names[step + 1]];
    const fits = [link.subject, link.object].every((name, side) => ends[side].has(name) || ends[side].size < MOST);
    if (link[view] < threshold || !fits) closed.add(step);
    if (closed.has(step)) continue;
    if (!links[step].includes(link)) links[step].push(link);
    ends[0].add(link.subject);
    ends[1].add(link.object);
    rest[step] = link[smaller];
  }
  return { names, links, rest };
}

/** Order of each column: the last by weight, the others by the middle of what they are linked with. */
function arrange(walk, view, names, links) {
  const last = names.length - 1;
  const order = names.map((column, place) => {
    const weight = (name) => walk.nodes[place].get(name)[view];
    return [...column].sort((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1));
  });
  const middle = (name, links_, mine, other, neighbours) => {
    let weight = 0;
    let sum = 0;
    for (const link of links_) {
      if (link[mine] !== name) continue;
      sum += link[view] * ((neighbours.indexOf(link[other]) + 0.5) / neighbours.length);
      weight += link[view];
    }
    return weight ? sum / weight : null;
  };
  for (let sweep = 0; sweep < 4; sweep += 1) {
    for (let place = last - 1; place > 0; place -= 1) {
      const marks = new Map(
        order[place].map((name, row) => {
          const onward = middle(name, links[place], "subject", "object", order[place + 1]);
          const before = middle(name, links[place - 1], "object", "subject", order[place - 1]);
          const own = (row + 0.5) / order[place].length;
          return [name, (onward ?? own) * 0.65 + (before ?? own) * 0.35];
        }),
      );
      order[place].sort((a, b) => marks.get(a) - marks.get(b));
    }
  }
  return order;
}

/** Curves from column to column; links between the same two entities bow apart. */
function route(steps, view, at) {
  const drawn = [];
  steps.forEach((links, step) => {
    const together = new Map();
    for (const link of links) {
      const pair = `${link.subject}\u0000${link.object}`;
      if (!together.has(pair)) together.set(pair, []);
      together.get(pair).push(link);
    }
    for (const parallel of together.values()) {
      const widths = parallel.map((link) => thickness(link[view]));
      const total = widths.reduce((sum, width) => sum + width + 4, -4);
      let offset = -total / 2;
      parallel.forEach((link, place) => {
        const from = at.get(`${step}\u0000${link.subject}`);
        const to = at.get(`${step + 1}\u0000${link.object}`);
        const shift = offset + widths[place] / 2;
        offset += widths[place] + 4;
        drawn.push({ link, width: widths[place], ...curve(from, to, shift) });
      });
    }
  });
  return drawn.sort((a, b) => isHeavy(a.link) - isHeavy(b.link) || b.width - a.width);
}

function waits(path, at) {
  return path.waits.map((wait) => {
    const from = at.get(`${wait.step}\u0000${wait.name}`);
    const to = at.get(`${wait.step + 1}\u0000${wait.name}`);
    return { path: path.place, step: wait.step, ...curve(from, to, 0) };
  });
}

function curve(from, to, shift) {
  const x0 = from.x + from.r + 1;
  const x1 = to.x - to.r - 1;
  const pull = (x1 - x0) * 0.5;
  const points = [
    [x0, from.y + shift * 0.55],
    [x0 + pull, from.y + shift * 1.5],
    [x1 - pull, to.y + shift * 1.5],
    [x1, to.y + shift * 0.55],
  ];
  const text = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`);
  return { points, d: `M${text[0]}C${text[1]} ${text[2]} ${text[3]}` };
}

/** The point of a curve at 0 <= part <= 1. */
export function along([a, b, c, d], part) {
  const rest = 1 - part;
  const weights = [rest ** 3, 3 * rest ** 2 * part, 3 * rest * part ** 2, part ** 3];
  return [0, 1].map(
    (axis) => weights[0] * a[axis] + weights[1] * b[axis] + weights[2] * c[axis] + weights[3] * d[axis],
  );
}
