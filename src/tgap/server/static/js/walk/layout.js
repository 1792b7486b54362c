// Where everything in the picture goes: a column a step, entities ordered so that links cross little, the last column
// ordered by probability. Pure: numbers in, numbers out.

const TOP = 46;
const ROW = 47;
const MOST = 11; // entities in a column
const SHOWN_PATHS = 3;

const radius = (mass) => 4 + 14 * Math.sqrt(mass);
const thickness = (attention) => 1.4 + 13 * Math.sqrt(attention);

/** Columns, links and waits for a width in pixels; links below the threshold are left out unless a heavy walk uses them. */
export function layOut(walk, threshold, width) {
  const left = Math.min(64, width * 0.085);
  const right = Math.min(290, Math.max(148, width * 0.22));
  const gap = (width - left - right) / walk.length;
  const chosen = choose(walk, threshold);
  const names = columnsOf(walk, chosen);
  const kept = thin(walk, names, chosen);
  const order = arrange(walk, kept.names, kept.links);
  const rows = Math.max(...order.map((column) => column.length), 3);
  const height = TOP + ROW * rows + 18;
  const columns = order.map((column, place) => ({
    x: left + gap * place,
    nodes: column.map((name, row) => {
      const mass = walk.masses[place].get(name) ?? 0;
      const free = height - TOP - 12;
      return {
        name,
        column: place,
        mass,
        x: left + gap * place,
        y: TOP + (free / column.length) * (row + 0.5),
        r: radius(mass),
      };
    }),
  }));
  const at = new Map(
    columns.flatMap((column, place) => column.nodes.map((node) => [`${place}\u0000${node.name}`, node])),
  );
  return {
    width,
    height,
    gap,
    right,
    columns,
    links: route(kept.links, at),
    waits: walk.paths.slice(0, SHOWN_PATHS).flatMap((path) => waits(path, at)),
  };
}

function choose(walk, threshold) {
  return walk.links.map((links) =>
    [...links.values()].filter(
      (link) => link.attention >= threshold || [...link.paths].some((place) => place < SHOWN_PATHS),
    ),
  );
}

/** Entities of each column: ends of the chosen links, where walks wait, the answer at the end. */
function columnsOf(walk, chosen) {
  const columns = Array.from({ length: walk.length + 1 }, () => new Set());
  columns[0].add(walk.start);
  chosen.forEach((links, step) => {
    for (const link of links) {
      columns[step].add(link.subject);
      columns[step + 1].add(link.object);
    }
  });
  for (const path of walk.paths.slice(0, SHOWN_PATHS)) {
    for (const wait of path.waits) {
      columns[wait.step].add(wait.name);
      columns[wait.step + 1].add(wait.name);
    }
  }
  columns[walk.length].add(walk.answer);
  return columns;
}

/** At most ``MOST`` entities a column; those of heavy walks stay. */
function thin(walk, columns, chosen) {
  const names = columns.map((column, place) => {
    const needed = new Set([walk.start, walk.answer]);
    for (const path of walk.paths.slice(0, SHOWN_PATHS)) {
      for (const link of path.links) {
        if (link.step === place + 1) needed.add(link.subject);
        if (link.step === place) needed.add(link.object);
      }
      for (const wait of path.waits) if (wait.step === place || wait.step + 1 === place) needed.add(wait.name);
    }
    const mass = (name) => walk.masses[place].get(name) ?? 0;
    const falling = [...column].sort((a, b) => needed.has(b) - needed.has(a) || mass(b) - mass(a));
    return new Set(falling.slice(0, MOST));
  });
  const links = chosen.map((step, place) =>
    step.filter((link) => names[place].has(link.subject) && names[place + 1].has(link.object)),
  );
  return { names, links };
}

/** Order of each column: the last by probability, the others by the middle of what they are linked with. */
function arrange(walk, names, links) {
  const last = names.length - 1;
  const order = names.map((column, place) => {
    const mass = (name) => walk.masses[place].get(name) ?? 0;
    return [...column].sort((a, b) => mass(b) - mass(a) || (a < b ? -1 : 1));
  });
  const middle = (name, links_, mine, other, neighbours) => {
    let weight = 0;
    let sum = 0;
    for (const link of links_) {
      if (link[mine] !== name) continue;
      sum += link.attention * ((neighbours.indexOf(link[other]) + 0.5) / neighbours.length);
      weight += link.attention;
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
function route(steps, at) {
  const drawn = [];
  steps.forEach((links, step) => {
    const together = new Map();
    for (const link of links) {
      const pair = `${link.subject}\u0000${link.object}`;
      if (!together.has(pair)) together.set(pair, []);
      together.get(pair).push(link);
    }
    for (const parallel of together.values()) {
      const widths = parallel.map((link) => thickness(link.attention));
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
  return drawn.sort((a, b) => a.link.paths.size - b.link.paths.size || b.width - a.width);
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
