// SPDX-License-Identifier: MIT
// What a page can do with scripts: values under the pointer with one cursor over all plots of the same axis, zoom, and columns on and off. Without it,
// the page is complete. Axes are read from the labels of tics in the SVG that gnuplot wrote.
(function () {
  'use strict';
  var plots = [];

  function make(name, text, parent) {
    var e = document.createElement(name);
    if (text) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }

  // The number and unit of a label, such as 500 µs, 10 ms, 99.9 % or 1,000. Times become µs.
  function number(text) {
    var m = /^\s*(-?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*(µs|ms|s|%)?\s*$/i.exec(text);
    if (!m) return null;
    return { value: m[1].replace(/,/g, '') * ({ ms: 1e3, s: 1e6 }[m[2]] || 1), unit: m[2] === '%' ? '%' : m[2] ? 'µs' : '' };
  }

  function shown(value, unit) {
    var scale = unit !== 'µs' ? [1, unit] : value < 1e3 ? [1, 'µs'] : value < 1e6 ? [1e3, 'ms'] : [1e6, 's'];
    var v = value / scale[0];
    var text = unit === '%' ? v.toFixed(v > 99 ? 4 : 1).replace(/\.?0+$/, '') : Math.abs(v) >= 100 ? Math.round(v).toLocaleString('en') : +v.toPrecision(3);
    return text + (scale[1] ? ' ' + scale[1] : '');
  }

  // Scales of an axis: to a straight line, and back. The last one is that of percentiles, where each nine has the same width.
  var scales = [
    [function (v) { return v; }, function (t) { return t; }],
    [Math.log, Math.exp],
    [function (v) { return -Math.log(100 - v); }, function (t) { return 100 - Math.exp(-t); }]
  ];

  // The axis through tics {at, value, unit}: the scale on which they are closest to a line, or null.
  function axis(tics) {
    if (tics.length < 2) return null;
    var a = tics[0], b = tics[tics.length - 1], best = null, error = Infinity;
    scales.forEach(function (s) {
      var slope = (s[0](b.value) - s[0](a.value)) / (b.at - a.at), off = 0;
      tics.forEach(function (t) { off += Math.abs((s[0](t.value) - s[0](a.value)) / slope - (t.at - a.at)); });
      if (!(off < error)) return;
      error = off;
      best = {
        value: function (at) { return s[1](s[0](a.value) + slope * (at - a.at)); },
        place: function (v) { return a.at + (s[0](v) - s[0](a.value)) / slope; }
      };
    });
    if (!best || error > 2 * tics.length) return null;
    best.unit = a.unit;
    best.from = Math.min(a.at, b.at);
    best.to = Math.max(a.at, b.at);
    return best;
  }

  // The axes of a plot: a tic is a short line before its label. Panels begin where the places of the labels jump back down.
  function axes(svg) {
    var x = [], panels = [], last = -1;
    svg.querySelectorAll('path').forEach(function (p) {
      var m = /^M([\d.]+),([\d.]+) L([\d.]+),([\d.]+)\s*$/.exec(p.getAttribute('d')), g = p.nextElementSibling;
      var label = m && g && g.tagName === 'g' && g.querySelector('text'), n = label && number(label.textContent);
      if (!n) return;
      var anchor = g.getAttribute('text-anchor');
      if (m[2] === m[4] && anchor === 'end') {
        n.at = +m[2];
        if (n.at > last) panels.push([]);
        last = n.at;
        panels[panels.length - 1].push(n);
      } else if (m[1] === m[3] && anchor === 'middle') {
        n.at = +m[1];
        x.push(n);
      }
    });
    return { x: axis(x), y: panels.map(function (p) {
      return axis(p) || { from: p[p.length - 1].at, to: p[0].at };
    }) };
  }

  // The points of a path; those of the sample in the key, a level line, are left out.
  function path(element, g) {
    var points = [], re = /([ML])\s*([\d.]+),([\d.]+)/g, m;
    while ((m = re.exec(element.getAttribute('d')))) points.push([m[1], +m[2], +m[3]]);
    return points.filter(function (p) { return !sample(g, p[2]); });
  }

  // Where a text is, from the transformation of its group.
  function place(g) {
    var m = /translate\(([\d.]+),\s*([\d.]+)\)/.exec(g.getAttribute('transform'));
    return m ? { x: +m[1], y: +m[2] } : { x: -1e6, y: -1e6 };
  }

  // Whether a shape at height Y in a group is its sample in the key, which is beside the name.
  function sample(g, y) {
    var text = g.querySelector('g[text-anchor]');
    return text && Math.abs(place(text).y - y) < 12;
  }

  // The bars of a plot with their names.
  function bars(svg) {
    var found = [];
    svg.querySelectorAll('g[id*=gnuplot_plot_] polygon').forEach(function (p) {
      var xy = p.getAttribute('points').trim().split(/[\s,]+/).map(Number), g = p.closest('g[id*=gnuplot_plot_]');
      var x = xy.filter(function (v, i) { return i % 2 === 0; }), y = xy.filter(function (v, i) { return i % 2; });
      var top = Math.min.apply(null, y);
      if (!sample(g, (top + Math.max.apply(null, y)) / 2)) found.push({ name: g.querySelector('title').textContent, from: Math.min.apply(null, x), to: Math.max.apply(null, x), top: top });
    });
    return found;
  }

  // The lines of a plot with their names; a line of a further panel has the name of the line with its colour.
  function lines(svg) {
    var found = [], names = {};
    svg.querySelectorAll('g[id*=gnuplot_plot_]').forEach(function (g) {
      var title = g.querySelector('title'), named = title && !/^gnuplot_plot_/.test(title.textContent), all = [], colour = '';
      g.querySelectorAll('path').forEach(function (p) {
        all = all.concat(path(p, g));
        colour = colour || p.getAttribute('stroke');
      });
      if (named) names[colour] = title.textContent;
      if (names[colour] && all.length > 1) found.push({ name: names[colour], points: all });
    });
    return found;
  }

  // The place of a line at X.
  function height(line, x) {
    for (var i = 1; i < line.points.length; i++) {
      var a = line.points[i - 1], b = line.points[i];
      if (b[0] === 'L' && Math.min(a[1], b[1]) <= x && x <= Math.max(a[1], b[1]) && a[1] !== b[1]) return a[2] + (b[2] - a[2]) * (x - a[1]) / (b[1] - a[1]);
    }
    return null;
  }

  function panel(plot, y) {
    return plot.y.slice().sort(function (a, b) {
      return Math.max(a.from - y, y - a.to) - Math.max(b.from - y, y - b.to);
    })[0];
  }

  // Values NAME: AT in the units of their panels, as text.
  function values(plot, list) {
    var words = {}, taken = {}, out = [];
    list.forEach(function (v) {
      var p = panel(plot, v.at);
      // The scale of a panel with a single tic is not known.
      if (!p.value) return;
      var word = (v.name ? v.name + ' ' : '') + shown(p.value(v.at), p.unit), key = p.label || '';
      if (taken[key + word]) return;
      taken[key + word] = 1;
      words[key] = (words[key] ? words[key] + ', ' : '') + word;
    });
    for (var key in words) out.push((key ? key + ': ' : '') + words[key]);
    return out.join('; ');
  }

  // Show the values of a plot at the value X of its axis; at the place Y of the pointer, if no line is there.
  function read(plot, x, y) {
    var at = plot.x.place(x), list = [];
    plot.cursor.setAttribute('x1', at);
    plot.cursor.setAttribute('x2', at);
    plot.cursor.setAttribute('visibility', at >= plot.x.from - 40 && at <= plot.x.to + 60 ? 'visible' : 'hidden');
    plot.lines.forEach(function (line) {
      var h = height(line, at);
      if (h !== null) list.push({ name: line.name, at: h });
    });
    if (!list.length && y !== undefined) list.push({ name: '', at: y });
    plot.reading.textContent = list.length ? plot.label + ': ' + shown(x, plot.x.unit) + '; ' + values(plot, list) : '';
  }

  function clear() {
    plots.forEach(function (p) {
      p.cursor.setAttribute('visibility', 'hidden');
      p.reading.textContent = '';
    });
  }

  // The place of the pointer in the units of the SVG.
  function pointer(svg, event) {
    var m = svg.getScreenCTM();
    return m ? new DOMPoint(event.clientX, event.clientY).matrixTransform(m.inverse()) : { x: 0, y: 0 };
  }

  // Drag a rectangle to enlarge it; a double click restores the plot.
  function zoom(svg) {
    var whole = svg.getAttribute('viewBox'), from = null, frame = document.createElementNS(svg.namespaceURI, 'rect');
    frame.setAttribute('class', 'frame');
    frame.setAttribute('visibility', 'hidden');
    svg.appendChild(frame);
    function box(event) {
      var to = pointer(svg, event);
      return [Math.min(from.x, to.x), Math.min(from.y, to.y), Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
    }
    svg.addEventListener('pointerdown', function (event) {
      if (event.pointerType !== 'mouse' || event.button) return;
      from = pointer(svg, event);
      svg.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    svg.addEventListener('pointermove', function (event) {
      if (!from) return;
      ['x', 'y', 'width', 'height'].forEach(function (name, i) { frame.setAttribute(name, box(event)[i]); });
      frame.setAttribute('visibility', 'visible');
    });
    svg.addEventListener('pointerup', function (event) {
      if (!from) return;
      var b = box(event);
      from = null;
      frame.setAttribute('visibility', 'hidden');
      if (b[2] < 8 || b[3] < 8) return;
      // The frame of the page stays as it is.
      svg.style.height = svg.getBoundingClientRect().height + 'px';
      svg.setAttribute('viewBox', b.join(' '));
    });
    svg.addEventListener('dblclick', function () {
      svg.setAttribute('viewBox', whole);
      svg.style.height = '';
    });
  }

  function follow(svg) {
    var found = axes(svg);
    zoom(svg);
    if (!found.y.length) return;
    // The label of a vertical axis is beside the middle of its panel.
    svg.querySelectorAll('g[transform*=rotate]').forEach(function (g) {
      found.y.forEach(function (p) {
        if (g.textContent.trim() && place(g).x < 60 && p.from < place(g).y && place(g).y < p.to) p.label = g.textContent.trim().replace(' (log scale)', '');
      });
    });
    // The label of the horizontal axis is the lowest text in the middle of the plot that is no number.
    var label = '', low = 0;
    svg.querySelectorAll('g[text-anchor=middle]').forEach(function (g) {
      if (!/rotate/.test(g.getAttribute('transform')) && place(g).y > low && g.textContent.trim() && !number(g.textContent)) {
        low = place(g).y;
        label = g.textContent.trim();
      }
    });
    var cursor = document.createElementNS(svg.namespaceURI, 'line'), plot = {
      svg: svg, x: found.x, y: found.y, lines: lines(svg), label: label, cursor: cursor,
      reading: make('p', '', svg.closest('figure'))
    };
    plot.reading.className = 'reading';
    if (!found.x) {
      var list = bars(svg);
      svg.addEventListener('pointermove', function (event) {
        var x = pointer(svg, event).x;
        plot.reading.textContent = values(plot, list.filter(function (b) { return b.from <= x && x <= b.to; }).map(function (b) { return { name: b.name, at: b.top }; }));
      });
      svg.addEventListener('pointerleave', function () { plot.reading.textContent = ''; });
      return;
    }
    cursor.setAttribute('class', 'cursor');
    cursor.setAttribute('visibility', 'hidden');
    cursor.setAttribute('y1', 40);
    cursor.setAttribute('y2', Math.max.apply(null, found.y.map(function (y) { return y.to; })));
    svg.appendChild(cursor);
    plots.push(plot);
    svg.addEventListener('pointermove', function (event) {
      var p = pointer(svg, event), x = plot.x.value(p.x);
      plots.forEach(function (other) { if (other.label === plot.label) read(other, x, other === plot ? p.y : undefined); });
    });
    svg.addEventListener('pointerleave', clear);
  }

  // A list of the columns of a table, each of which can be hidden and shown.
  function columns(wide) {
    var table = wide.querySelector('table'), heads = table ? table.querySelectorAll('thead th') : [];
    if (heads.length < 4) return;
    var list = make('details');
    list.className = 'columns';
    make('summary', 'Columns', list);
    heads.forEach(function (head, i) {
      var label = make('label', '', list), box = make('input', '', label);
      box.type = 'checkbox';
      label.appendChild(document.createTextNode(' ' + head.textContent));
      list.addEventListener('toggle', function () { box.checked = getComputedStyle(head).display !== 'none'; });
      box.addEventListener('change', function () {
        table.querySelectorAll('tr').forEach(function (row) { if (row.children[i]) row.children[i].style.display = box.checked ? 'table-cell' : 'none'; });
      });
    });
    wide.parentNode.insertBefore(list, wide);
  }

  // A button that copies a text of the page.
  function copy(pre) {
    var button = make('button', 'Copy');
    button.addEventListener('click', function () {
      getSelection().selectAllChildren(pre);
      button.textContent = document.execCommand('copy') ? 'Copied' : 'Selected: press Ctrl-C';
    });
    pre.parentNode.insertBefore(button, pre);
  }

  document.querySelectorAll('details > pre').forEach(copy);
  document.querySelectorAll('figure svg').forEach(follow);
  document.querySelectorAll('.wide').forEach(columns);
})();
