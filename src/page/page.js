'use strict';
const D = JSON.parse(document.getElementById('data').textContent);
const F = D.functions, T = D.tree;

// Elements and text: what comes from files is only ever text.
function el(tag, attributes, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on')) one.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) one.setAttribute(name, value);
  one.append(...children.flat().filter(child => child !== null && child !== undefined));
  return one;
}
const grouped = number => Number(number).toLocaleString('en-US');
const percent = (part, all, decimals = 1) => all ? (100 * part / all).toFixed(decimals) + ' %' : '';
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const main = el('main');
const sections = [];
function section(id, title, hint, ...children) {
  sections.push([id, title]);
  const one = el('section', {id}, el('h2', {}, title, hint ? el('small', {}, hint) : null), ...children);
  main.append(one);
  return one;
}

let query = '';
const searched = [];  // told when it changes
const search = el('input', {type: 'search', placeholder: 'search functions  (/)', 'aria-label': 'search functions'});
let pending = 0;
search.addEventListener('input', () => {
  clearTimeout(pending);
  pending = setTimeout(() => { query = search.value.trim().toLowerCase(); searched.forEach(tell => tell()); }, 60);
});

/* Verdict. */
function showVerdicts() {
  if (!D.verdicts.length) return;
  section('verdict', 'Verdict', '', D.verdicts.map(verdictLine));
}

function verdictLine([word, text]) {
  return el('div', {class: 'verdict'}, el('b', {class: word}, word), el('span', {}, text));
}

/* Functions: only the rows that can be seen are elements. */
const rowHeight = 26;
const weightOf = F ? (F.sampled ? F.s : F.i) : [];
const allWeight = F ? (F.sampled ? F.samples : F.instructions) : 0;
const lowerNames = [];  // by number of the name, made when somebody searches
const codeOf = new Map(D.code.map((code, place) => [code.n, place]));
const functionOf = new Map(F ? F.n.map((name, place) => [name, place]) : []);
let openFunction = () => {};

// Numbers are as wide as the longest, in digits; `wide`: left out where the page is narrow.
function columnsOf() {
  const change = i => weightOf[i] / (allWeight || 1) - F.w0[i] / (F.before || 1);
  const columns = [{title: 'share', of: i => weightOf[i], show: i => percent(weightOf[i], allWeight, 2), bar: true}];
  if (F.w0) columns.push({title: 'change', of: change, sign: true,
    show: i => { const points = 100 * change(i); return (points > 0 ? '+' : '') + points.toFixed(2); }});
  if (F.sampled) columns.push({title: 'samples', of: i => F.s[i], show: i => grouped(F.s[i]), wide: true});
  if (F.i) columns.push({title: 'instructions', of: i => F.i[i], show: i => grouped(F.i[i]), wide: F.sampled});
  columns.push({title: 'entries', of: i => F.e[i], show: i => grouped(F.e[i]), wide: true});
  if (F.r) columns.push({title: 'ran', hint: 'how much of its code ran', of: i => F.b[i] ? F.r[i] / F.b[i] : 0, show: i => percent(F.r[i], F.b[i], 0), wide: true});
  for (const column of columns) {
    let least = 0, most = 0;
    for (let i = 1; i < F.n.length; ++i) {
      if (column.of(i) < column.of(least)) least = i;
      if (column.of(i) > column.of(most)) most = i;
    }
    column.width = Math.max(column.title.length, ...(F.n.length ? [least, most].map(i => column.show(i).length) : [])) + 'ch';
  }
  columns.push({title: 'function', width: 'minmax(150px, 1fr)', of: i => D.names[F.n[i]], show: i => D.names[F.n[i]], name: true});
  return columns;
}

function showFunctions() {
  const columns = columnsOf(), widths = list => list.map(column => column.width).join(' ');
  const narrow = columns.filter(column => !column.wide).map(column => column.name ? {width: 'minmax(0, 1fr)'} : column);
  const layout = `--all:${widths(columns)};--narrow:${widths(narrow)}`;
  const classOf = column => (column.name ? 'name' : '') + (column.wide ? ' wide' : '');
  let order = weightOf.map((_, i) => i), sorted = 0, downwards = true, selected = 0;
  const rows = el('div', {class: 'rows', role: 'rowgroup'}), detail = el('div', {class: 'detail', tabindex: '0', 'aria-label': 'function'});
  const scroll = el('div', {class: 'scroll', tabindex: '0', 'aria-label': 'functions', onscroll: () => draw(), onkeydown: key}, rows);
  const buttons = columns.map((column, at) => el('button', {class: classOf(column), onclick: () => sortBy(at), title: column.hint || 'sort by ' + column.title}, column.title));
  const one = section('functions', 'Functions', '', el('div', {class: 'split'},
    el('div', {class: 'table', role: 'table', style: layout}, el('div', {class: 'row head'}, buttons), scroll), detail));
  const hint = el('small');
  const left = F.more ? `, and ${grouped(F.more)} with ${percent(F.more_weight, allWeight, 2)} of all that are not in this page (--max-size)` : '';
  one.querySelector('h2').append(hint);

  function sortBy(at) {
    downwards = at === sorted ? !downwards : !columns[at].name;
    sorted = at;
    arrange();
  }
  function arrange() {
    if (query && !lowerNames.length) for (const name of D.names) lowerNames.push(name.toLowerCase());
    order = [];
    for (let i = 0; i < F.n.length; ++i) if (!query || lowerNames[F.n[i]].includes(query)) order.push(i);
    const column = columns[sorted];
    const keys = F.n.map((_, i) => column.of(i));
    const compare = column.name ? (a, b) => keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0 : (a, b) => keys[a] - keys[b];
    if (sorted !== 0 || !downwards) order.sort((a, b) => (downwards ? compare(b, a) : compare(a, b)) || a - b);
    buttons.forEach((button, at) => at === sorted ? button.setAttribute('aria-sort', downwards ? 'descending' : 'ascending') : button.removeAttribute('aria-sort'));
    hint.textContent = (query ? `${grouped(order.length)} of ` : '') + grouped(F.n.length) + left;
    rows.style.height = order.length * rowHeight + 'px';
    scroll.scrollTop = 0;
    draw();
  }
  function draw() {
    const first = Math.max(0, Math.floor(scroll.scrollTop / rowHeight) - 10);
    const end = Math.min(order.length, first + Math.ceil((scroll.clientHeight || 800) / rowHeight) + 20);
    const shown = [];
    for (let at = first; at < end; ++at) {
      const i = order[at];
      const cells = columns.map(column => {
        const text = column.show(i), sign = column.sign && column.of(i);
        const cell = el('span', {class: classOf(column) + (column.bar ? ' bar' : sign > 0 ? ' more' : sign < 0 ? ' less' : ''), title: column.name ? text : null}, text);
        if (column.bar) cell.append(el('i', {style: `width:${allWeight ? 100 * weightOf[i] / (weightOf[0] || 1) : 0}%`}));
        return cell;
      });
      shown.push(el('div', {class: 'row', role: 'row', style: `top:${at * rowHeight}px`, 'aria-selected': i === selected ? 'true' : 'false',
        onclick: () => select(i)}, cells));
    }
    rows.replaceChildren(...shown);
  }
  function select(i) {
    selected = i;
    showDetail(detail, i);
    draw();
  }
  function key(event) {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -order.length, End: order.length}[event.key];
    if (!step || !order.length) return;
    event.preventDefault();
    const at = Math.min(order.length - 1, Math.max(0, order.indexOf(selected) + step));
    if ((at + 1) * rowHeight > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = (at + 1) * rowHeight - scroll.clientHeight;
    if (at * rowHeight < scroll.scrollTop) scroll.scrollTop = at * rowHeight;
    select(order[at]);
  }
  openFunction = name => {
    const i = functionOf.get(name);
    if (i === undefined) return;
    select(i);
    one.scrollIntoView({block: 'start'});
  };
  searched.push(arrange);
  arrange();
  if (F.n.length) select(0);
  addEventListener('resize', draw);
}

/* One function: figures, inlining, source, machine code, branches, callers. */
const nameLink = name => functionOf.has(name) ? el('a', {onclick: () => openFunction(name)}, D.names[name]) : el('span', {}, D.names[name]);
const endText = ([name, offset]) => name < 0 ? el('span', {}, 'outside of the program') :
  el('span', {}, nameLink(name), offset ? '+0x' + offset.toString(16) : '');

function showDetail(detail, i) {
  const figure = (title, value) => el('div', {}, el('small', {}, title), value);
  const figures = [figure('share', percent(weightOf[i], allWeight, 2))];
  if (F.sampled) figures.push(figure(F.profile ? 'samples' : 'samples in it', grouped(F.s[i])));
  if (F.i) figures.push(figure('instructions run', grouped(F.i[i])));
  figures.push(figure('entries', grouped(F.e[i])), figure('hottest place', grouped(F.h[i])));
  if (F.r) figures.push(figure('code that ran', `${grouped(F.r[i])} of ${grouped(F.b[i])} bytes`));
  const parts = [el('h2', {title: D.names[F.n[i]]}, D.names[F.n[i]]), el('div', {class: 'figures'}, figures)];
  const place = codeOf.get(F.n[i]);
  if (place !== undefined) parts.push(...codeParts(D.code[place]));
  else if (!F.profile) parts.push(el('p', {class: 'soft'}, 'Its code is not in this page: pgokit report --annotate shows it.'));
  parts.push(...inliningParts(F.n[i]));
  detail.replaceChildren(...parts);
  detail.scrollTop = 0;
}

// Without parameters, and those of templates.
function shortName(name) {
  let text = name, before;
  do { before = text; text = text.replace(/<[^<>]*>/g, ''); } while (text !== before);
  text = text.replace(/\([^()]*\)( const)?$/, '');
  return text.split(' ').pop() || name;
}

// Warm, by the root of the share: what is half as hot is seen to be cooler.
const heatOf = (count, most) => count ? `background:color-mix(in srgb, var(--hot) ${Math.round(3 + 25 * Math.sqrt(count / (most || 1)))}%, transparent)` : null;

function codeParts(code) {
  const parts = [], most = (code.t.length || !code.src ? code.c : code.src.c).reduce((a, b) => Math.max(a, b), 0);
  const ends = (title, list, all) => {
    if (!list.length) return;
    const rows = list.slice(0, 20).flatMap(end => [el('span', {}, grouped(end[2])), el('span', {class: 'soft'}, percent(end[2], all)), endText(end)]);
    parts.push(el('h3', {}, title), el('div', {class: 'list'}, rows),
      list.length > 20 ? el('div', {class: 'soft'}, `and ${grouped(list.length - 20)} more`) : el('span'));
  };
  if (code.src) parts.push(el('h3', {}, 'Source ', el('span', {class: 'soft'}, code.src.file)), sourceTable(code, code.src, most));
  parts.push(...inlinedParts(code, most));
  if (code.t.length) parts.push(el('h3', {}, 'Machine code'), machineTable(code, most));
  const sources = [code.src, ...(code.in || [])].filter(source => source);
  const others = remarksOf(code, remark => !sources.some(source => remark[0] === source.of && lineIsShown(source, remark[1])));
  if (others.length) parts.push(el('h3', {}, 'Other remarks'), el('div', {class: 'remarks'}, others.map(remark => {
    const file = typeof remark[0] === 'number' ? code.f[remark[0]] : remark[0];
    return el('div', {}, file ? el('span', {class: 'soft'}, `${file.split('/').pop()}:${remark[1]} `) : null, remarkText(remark));
  })));
  ends('Callers', code.from, code.from.reduce((sum, one) => sum + one[2], 0));
  const calls = new Map();
  for (const [, kind, , ...targets] of code.br) if (kind === 2)
    for (const [name, offset, count] of targets) { const old = calls.get(name) || [name, 0, 0]; old[2] += count; calls.set(name, old); }
  const called = [...calls.values()].sort((a, b) => b[2] - a[2]);
  ends('Calls', called, called.reduce((sum, one) => sum + one[2], 0));
  return parts;
}

/* Optimization remarks: [file, line, kind, pass, text, times]. */
const remarksOf = (code, of) => (code.rm || []).filter(of);
const lineIsShown = (source, line) => source.text.length ? line >= source.first && line < source.first + source.text.length : source.l.includes(line);
const remarkText = ([, , kind, pass, text, times]) => el('span', {class: 'remark ' + kind}, `${pass} ${kind}: ${text}` + (times > 1 ? ` (${grouped(times)} times)` : ''));

// Of what was inlined: stretches of lines, those of one function after each other.
function inlinedParts(code, most) {
  const parts = [], all = code.c.reduce((sum, one) => sum + one, 0), list = code.in || [];
  most = list.flatMap(source => source.c).reduce((a, b) => Math.max(a, b), most);  // copies add up
  list.forEach((source, at) => {
    const before = list[at - 1], goesOn = before && before.n === source.n && before.of === source.of;
    parts.push(goesOn ? el('div', {class: 'soft'}, '…') : el('h3', {title: D.names[source.n]}, 'Inlined: ', shortName(D.names[source.n]), ' ',
      el('span', {class: 'soft'}, `${percent(source.i, all)} of the instructions, ${source.file}`)));
    parts.push(sourceTable(code, goesOn ? {...source, missing: ''} : source, most));
  });
  return parts;
}

function sourceTable(code, source, most) {
  const counts = new Map(source.l.map((line, at) => [line, source.c[at]]));
  const rows = [];
  const add = (line, text) => {
    rows.push(el('tr', {style: heatOf(counts.get(line), most)},
      el('td', {}, counts.has(line) ? grouped(counts.get(line)) : ''), el('td', {}, String(line)), el('td', {}, text)));
    for (const remark of remarksOf(code, one => one[0] === source.of && one[1] === line))
      rows.push(el('tr', {}, el('td'), el('td'), el('td', {}, remarkText(remark))));
  };
  if (source.text.length) source.text.forEach((text, at) => add(source.first + at, text));
  else source.l.forEach(line => add(line, ''));
  return el('div', {}, source.missing ? el('div', {class: 'soft'}, source.missing) : '', el('table', {class: 'code source'}, rows));
}

// "probe 2 (block) of leaf  @ 5 main": the innermost first, as places are.
const probeKinds = ['block', 'indirect call', 'call'];
function probeText([, kind, discriminator, ...frames]) {
  return frames.slice().reverse().map(([name, id], at, all) =>
    (at ? id : `probe ${id}${discriminator ? '.' + discriminator : ''} (${probeKinds[kind] || 'kind ' + kind})`) +
    (at < all.length - 1 ? ' ' + (at ? '' : 'of ') + (name < 0 ? '?' : shortName(D.names[name])) : '')).join('  @ ');
}

function machineTable(code, most) {
  const branches = new Map(code.br.map(branch => [branch[0], branch])), rows = [], told = new Set();
  const probes = new Map();
  for (const probe of code.pr || []) probes.set(probe[0], [...(probes.get(probe[0]) || []), probe]);
  const limit = 4000;
  let address = parseInt(code.at, 16), place = -1;
  for (let i = 0; i < Math.min(limit, code.t.length); ++i) {
    address += code.d[i];
    if (code.l[i] !== place && code.p[code.l[i]].length) {
      const where = code.p[code.l[i]].slice().reverse().map(([file, line, name], at, all) =>
        (file < 0 ? '?' : code.f[file].split('/').pop()) + ':' + line + (at < all.length - 1 ? ' ' + shortName(D.names[name]) : '')).join('  @ ');
      rows.push(el('tr', {class: 'place'}, el('td'), el('td'), el('td', {}, where)));
      const [file, line] = code.p[code.l[i]].at(-1);
      for (const remark of remarksOf(code, one => one[0] === file && one[1] === line && !told.has(one))) {
        told.add(remark);
        rows.push(el('tr', {}, el('td'), el('td'), el('td', {}, remarkText(remark))));
      }
    }
    place = code.l[i];
    for (const probe of probes.get(i) || []) rows.push(el('tr', {class: 'probe'}, el('td'), el('td'), el('td', {}, probeText(probe))));
    const branch = branches.get(i), [mnemonic, operands] = [code.t[i].split('\t')[0], code.t[i].split('\t').slice(1).join(' ')];
    const taken = branch && branch[1] === 0 ? percent(branch[2], Math.max(branch[2], code.c[i])) + ' taken' : '';
    rows.push(el('tr', {style: heatOf(code.c[i], most)}, el('td', {}, code.c[i] ? grouped(code.c[i]) : ''), el('td', {}, address.toString(16)),
      el('td', {}, mnemonic.padEnd(8) + operands, taken ? el('span', {class: 'to'}, '   ' + taken) : '')));
    if (!branch || branch.length < 4 || (branch[1] !== 2 && branch.length === 4)) continue;
    branch.slice(3, 9).forEach(end => rows.push(el('tr', {}, el('td'), el('td'),
      el('td', {class: 'to'}, `        → ${percent(end[2], branch[2])}  ${grouped(end[2])}  `, endText(end)))));
  }
  return el('div', {}, el('table', {class: 'code machine'}, rows),
    code.t.length > limit ? el('div', {class: 'soft'}, `and ${grouped(code.t.length - limit)} instructions more`) : '');
}

/* The tree of calls and inlining: flame graph, and what was inlined in a function. */
const childrenOf = [];
if (T) T.p.forEach((parent, i) => { childrenOf[i] = []; if (i) childrenOf[parent].push(i); });
const kinds = ['', 'inlined', 'to be inlined'];
const treeValue = T ? (T.w || T.v) : [];

function inliningParts(name) {
  if (!T) return [];
  const total = new Map();  // by path of names below the function
  const walk = (node, path, depth) => {
    for (const child of childrenOf[node]) {
      if (!T.k[child] || depth > 8) continue;
      const below = path + '/' + T.n[child];
      const seen = total.get(below) || {name: T.n[child], depth, value: 0, kind: T.k[child]};
      seen.value += treeValue[child];
      total.set(below, seen);
      walk(child, below, depth + 1);
    }
  };
  for (let i = 1; i < T.p.length; ++i) if (T.n[i] === name) walk(i, '', 0);
  if (!total.size) return [];
  // Paths sort parents before children.
  const list = [...total.entries()].sort(([a], [b]) => a < b ? -1 : 1).slice(0, 200);
  return [el('h3', {}, 'Inlined in it'), el('div', {class: 'tree'}, list.map(([, one]) =>
    el('div', {style: `--depth:${one.depth}`}, el('b', {}, percent(one.value, treeValue[0], 2)), nameLink(one.name), one.kind === 2 ? el('span', {class: 'tag'}, kinds[2]) : null)))];
}

function showFlames() {
  const canvas = el('canvas', {tabindex: '0', role: 'img', 'aria-label': 'flame graph: arrow keys move, Enter zooms, Escape zooms out'});
  const status = el('div', {class: 'status', 'aria-live': 'polite'});
  const compares = Boolean(T.w);
  section('flames', compares ? 'Flame graph, compared' : 'Flame graph',
    compares ? 'width: after; red took more of the whole, blue less' : 'click or Enter zooms, Escape zooms out, arrow keys move; inlined functions are lighter', canvas, status);
  const height = 20, value = treeValue, depth = T.p.map(() => 0);
  for (const list of childrenOf) list.sort((a, b) => value[b] - value[a]);
  for (let i = 1; i < T.p.length; ++i) depth[i] = depth[T.p[i]] + 1;
  const deepest = depth.reduce((a, b) => Math.max(a, b), 0);
  let zoomed = 0, chosen = 0, boxes = [];

  function layout() {
    boxes = [];
    const put = (i, x, width) => {
      boxes.push([i, x, width]);
      let at = x;
      for (const child of childrenOf[i]) {
        const w = value[i] ? width * value[child] / value[i] : 0;
        if (w * canvas.clientWidth >= 0.5) put(child, at, w);
        at += w;
      }
    };
    put(zoomed, 0, 1);
    const path = [];
    for (let i = zoomed; i; i = T.p[i]) path.push(T.p[i]);
    for (const i of path) boxes.push([i, 0, 1]);
  }
  const nameOf = i => i ? D.names[T.n[i]] : 'all';
  function colorOf(i, hit) {
    if (query && !hit) return css('--raised');
    if (query) return css('--accent');
    if (!compares) {
      const hue = 14 + (T.n[i] * 7) % 30, dark = matchMedia('(prefers-color-scheme: dark)').matches;
      return i === 0 ? css('--line') : `hsl(${hue} ${T.k[i] ? 42 : 68}% ${dark ? (T.k[i] ? 32 : 38) : (T.k[i] ? 86 : 77)}%)`;
    }
    const change = T.w[i] / (T.w[0] || 1) - T.v[i] / (T.v[0] || 1), strength = Math.min(1, Math.abs(change) * 25);
    return `color-mix(in srgb, ${change > 0 ? css('--hot') : css('--cool')} ${Math.round(70 * strength)}%, ${css('--raised')})`;
  }
  function draw() {
    const scale = devicePixelRatio || 1, width = canvas.clientWidth || 900, tall = (deepest + 1) * height + 2;
    canvas.width = width * scale; canvas.height = tall * scale; canvas.style.height = tall + 'px';
    const context = canvas.getContext('2d');
    context.scale(scale, scale);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    layout();
    for (const [i, x, w] of boxes) {
      const left = x * width, wide = w * width, top = depth[i] * height, hit = query && nameOf(i).toLowerCase().includes(query);
      context.fillStyle = colorOf(i, hit);
      context.fillRect(left, top, Math.max(0.5, wide - 1), height - 1);
      if (i === chosen) { context.strokeStyle = css('--accent'); context.lineWidth = 2; context.strokeRect(left + 1, top + 1, Math.max(1, wide - 3), height - 3); }
      if (wide < 30) continue;
      context.fillStyle = hit ? css('--back') : css('--text');
      const fits = Math.floor((wide - 8) / 6.3), name = nameOf(i);
      context.fillText(name.length > fits ? name.slice(0, Math.max(1, fits - 1)) + '…' : name, left + 4, top + height / 2);
    }
  }
  function tell(i) {
    let text = `${nameOf(i)}   ${percent(value[i], value[0], 2)}, ${grouped(value[i])}`;
    if (compares) text += `; before ${percent(T.v[i], T.v[0], 2)}, ${grouped(T.v[i])}`;
    status.textContent = text + (T.k[i] ? ', ' + kinds[T.k[i]] : '');
  }
  function at(event) {
    const x = event.offsetX / canvas.clientWidth, level = Math.floor(event.offsetY / height);
    const found = boxes.find(([i, left, wide]) => depth[i] === level && x >= left && x < left + wide);
    return found ? found[0] : -1;
  }
  const zoom = i => { zoomed = chosen = i; draw(); tell(i); };
  canvas.addEventListener('mousemove', event => { const i = at(event); if (i >= 0) tell(i); });
  canvas.addEventListener('click', event => { const i = at(event); if (i >= 0) zoom(i); });
  canvas.addEventListener('dblclick', event => { const i = at(event); if (i > 0) openFunction(T.n[i]); });
  canvas.addEventListener('keydown', event => {
    const siblings = chosen ? childrenOf[T.p[chosen]] : [0], place = siblings.indexOf(chosen);
    const next = {ArrowDown: childrenOf[chosen][0], ArrowUp: chosen ? T.p[chosen] : 0, ArrowRight: siblings[place + 1], ArrowLeft: siblings[place - 1]};
    if (event.key in next) {
      event.preventDefault();
      if (next[event.key] === undefined) return;
      chosen = next[event.key];
      draw(); tell(chosen);
    } else if (event.key === 'Enter') zoom(chosen);
    else if (event.key === 'Escape') zoom(0);
  });
  new ResizeObserver(draw).observe(canvas.parentElement);
  searched.push(draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  draw(); tell(0);
}

/* Pages of code. */
function showHeat() {
  const columns = 64, box = 9;
  const one = heat => {
    const canvas = el('canvas', {role: 'img', 'aria-label': heat.title}), rows = Math.ceil(heat.pages / columns);
    const status = el('div', {class: 'status'}, `${grouped(heat.p.length)} of ${grouped(heat.pages)} pages of 4 kB ran, ${grouped(heat.lines)} cache lines`);
    const plain = status.textContent, by = new Map(heat.p.map((page, at) => [page, at]));
    const draw = () => {
      canvas.width = columns * box; canvas.height = Math.min(rows, 2000) * box;
      const context = canvas.getContext('2d'), most = Math.log1p(heat.c.reduce((a, b) => Math.max(a, b), 1));
      for (let page = 0; page < heat.pages; ++page) {
        const found = by.get(page);
        context.globalAlpha = 1;
        context.fillStyle = css('--line');
        context.fillRect(page % columns * box, Math.floor(page / columns) * box, box - 1, box - 1);
        if (found === undefined) continue;
        context.globalAlpha = 0.25 + 0.75 * Math.log1p(heat.c[found]) / most;
        context.fillStyle = css('--hot');
        context.fillRect(page % columns * box, Math.floor(page / columns) * box, box - 1, box - 1);
      }
    };
    canvas.addEventListener('mousemove', event => {
      const page = Math.floor(event.offsetY / box) * columns + Math.floor(event.offsetX / box), found = by.get(page);
      status.textContent = found === undefined ? plain : `page ${grouped(page)}: ${grouped(heat.c[found])} instructions in ${heat.l[found]} of 64 cache lines`;
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    draw();
    return el('div', {class: 'heat'}, el('h3', {}, heat.title), canvas, status);
  };
  section('heat', 'Pages of code', 'each square is a page, darker where more ran', el('div', {class: 'heats'}, D.heat.map(one)));
}

/* Cache lines of the pages that ran: a row for each page, a digit of "lh" for each of its lines. */
function showLines() {
  const ofPage = 64, wide = 4, high = 4, gap = 12, bands = 2;
  const one = heat => {
    const shown = heat.lp.length, rows = Math.ceil(shown / bands) || 1, span = ofPage * wide + gap;
    const canvas = el('canvas', {role: 'img', 'aria-label': 'cache lines ' + heat.title});
    const plain = `${grouped(heat.lines)} cache lines in ${grouped(heat.p.length)} pages` + (shown < heat.p.length ? `, of which the ${grouped(shown)} hottest are shown` : '');
    const status = el('div', {class: 'status'}, plain);
    const levelAt = (row, line) => parseInt(heat.lh[row][line] || '0', 16);
    const draw = () => {
      canvas.width = bands * span - gap; canvas.height = rows * high;
      const context = canvas.getContext('2d');
      for (let row = 0; row < shown; ++row) {
        const left = Math.floor(row / rows) * span, top = row % rows * high;
        context.globalAlpha = 1;
        context.fillStyle = css('--line');
        context.fillRect(left, top, ofPage * wide, high - 1);
        context.fillStyle = css('--hot');
        for (let line = 0; line < heat.lh[row].length; ++line) {
          if (!levelAt(row, line)) continue;
          context.globalAlpha = 0.25 + 0.05 * levelAt(row, line);
          context.fillRect(left + line * wide, top, wide, high - 1);
        }
      }
    };
    canvas.addEventListener('mousemove', event => {
      const row = Math.floor(event.offsetX / span) * rows + Math.floor(event.offsetY / high), line = Math.floor(event.offsetX % span / wide);
      const there = row < shown && line < ofPage;
      status.textContent = there ? `page ${grouped(heat.p[heat.lp[row]])}, line ${line}: ${levelAt(row, line) ? `heat ${levelAt(row, line)} of 15` : 'did not run'}` : plain;
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    draw();
    return el('div', {class: 'heat'}, el('h3', {}, heat.title), canvas, status);
  };
  section('lines', 'Cache lines', 'each row is a page that ran, each cell 64 bytes of it, darker where more ran', el('div', {class: 'heats'}, D.heat.map(one)));
}

/* What pgokit explain --json printed: which samples came to the compiler, and what became of others. */
function showExplanation(told) {
  const all = told.samples.profile, steps = [['in the profile', all], ['of functions that the program has', told.samples.in_program],
    ['of functions that did not change', told.samples.matched]];
  if (told.samples.used !== null) steps.push(['used by the compiler', told.samples.used]);
  const funnel = steps.map(([title, samples]) => el('div', {class: 'step'}, el('span', {}, percent(samples, all)), el('span', {}, grouped(samples)),
    el('span', {class: 'fill'}, el('i', {style: `width:${all ? 100 * samples / all : 0}%`}), title)));
  const rows = told.findings.map(one => [one.cause, `${percent(one.samples, all)} of the samples, ${grouped(one.functions)} functions` + (one.next ? ': ' + one.next : '')]);
  const branches = (told.branches ? told.branches.list : []).map(one => [one.file ? `${one.file.replace(/.*\//, '')}:${one.line}` : one.source,
    `measured ${percent(one.measured, 1)}, held for ${percent(one.believed, 1)} by the compiler: ${one.cause}; ${grouped(one.worth)} times`]);
  section('explanation', 'What the compiler did with the profile', told.program || '', el('div', {class: 'funnel'}, funnel), factTable('', rows),
    branches.length ? factTable('Branches held otherwise than measured', branches) : '');
}

/* Measurement of pgokit measure --json. */
function showMeasurement(told) {
  const rows = told.commands.map(one => [`${one.name}`, `${one.figures.cpu_s ? one.figures.cpu_s.median.toFixed(3) + ' s CPU time:  ' : ''}${one.command}`]);
  for (const note of told.notes) rows.push(['note', note]);
  const verdicts = told.comparisons.map(({figures: {[told.by]: ratio}, verdict}) =>
    !ratio ? ['unsure', verdict] : ratio.high < 1 ? ['faster', verdict] : ratio.low > 1 ? ['slower', verdict] : ['no difference', verdict]);
  section('measurement', 'Measurement', '', verdicts.map(verdictLine), el('div', {class: 'facts'}, factTable('', rows)));
}

// A file may be JSON and not what its command prints.
function showTold(text, show, command) {
  try {
    show(JSON.parse(text));
  } catch (error) {
    section('unreadable', 'Not shown', '', `what should be of ${command} is not what it prints: ${error.message}`);
  }
}

function factTable(heading, rows) {
  return el('div', {}, heading ? el('h3', {}, heading) : '', el('table', {}, rows.map(([name, value]) => el('tr', {}, el('td', {}, name), el('td', {}, value)))));
}

if (D.measurement) showTold(D.measurement, showMeasurement, 'pgokit measure');
showVerdicts();
if (D.explanation) showTold(D.explanation, showExplanation, 'pgokit explain');
if (F) showFunctions();
if (T) showFlames();
if (D.heat.length) { showHeat(); showLines(); }
if (D.facts.length) section('facts', 'Quality and origin', '', el('div', {class: 'facts'}, D.facts.map(([heading, rows]) => factTable(heading, rows))));
document.body.append(el('header', {}, el('h1', {}, D.title), el('nav', {}, sections.map(([id, title]) => el('a', {href: '#' + id}, title))), search), main);
searched.forEach(tell => tell());
addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== search) { event.preventDefault(); search.focus(); search.select(); }
  if (event.key === 'Escape' && document.activeElement === search) { search.value = ''; search.dispatchEvent(new Event('input')); search.blur(); }
});
document.documentElement.dataset.ready = 'yes';
