// Draws the charts of report.html from the JSON beside it. Marks the page when done
// (data-charts="2"), or when it failed (data-script-error), for tests/e2e/report_in_chromium.sh.
(function () {
  "use strict";
  var root = document.documentElement;
  window.addEventListener("error", function (event) {
    root.setAttribute("data-script-error", event.message);
  });
  var data = JSON.parse(document.getElementById("report-data").textContent);
  var levels = data.levels.map(function (level) { return level.n; });
  var charts = [];

  function color(name) { return getComputedStyle(root).getPropertyValue("--" + name).trim(); }
  function log2(points) {
    return points.map(function (point) { return { x: Math.log2(point.x), y: point.y }; });
  }
  function number(value) {
    return value.toLocaleString("en-US", { maximumSignificantDigits: value >= 1000 ? 5 : 3 });
  }

  function line(label, points, name, extra) {
    var verdictColor = { PASS: color("pass"), FAIL: color("fail") };
    return Object.assign({
      label: label,
      data: log2(points),
      borderColor: color(name),
      backgroundColor: color(name),
      borderWidth: 2.5,
      cubicInterpolationMode: "monotone",
      spanGaps: true,
      segment: {
        borderDash: function (part) {
          var ends = [data.levels[part.p0DataIndex], data.levels[part.p1DataIndex]];
          return ends[0].invalid || ends[1].invalid ? [4, 4] : undefined;
        }
      },
      pointRadius: 4.5,
      pointHoverRadius: 6.5,
      pointBorderWidth: 2,
      pointBackgroundColor: data.levels.map(function (level) {
        return level.invalid ? color("card") : verdictColor[level.verdict] || color(name);
      }),
      pointBorderColor: data.levels.map(function (level) {
        return level.invalid ? color("mute") : color(name);
      })
    }, extra || {});
  }

  // Straight lines with a label: the knee (upright) and the SLAs (level).
  function rules(list) {
    return {
      id: "rules",
      afterDatasetsDraw: function (chart) {
        var context = chart.ctx, area = chart.chartArea;
        list.forEach(function (rule) {
          var upright = rule.x !== undefined;
          var at = upright ? chart.scales.x.getPixelForValue(Math.log2(rule.x))
                           : chart.scales.y.getPixelForValue(rule.y);
          context.save();
          context.strokeStyle = context.fillStyle = color(rule.color);
          context.lineWidth = 1.5;
          context.setLineDash([6, 4]);
          context.beginPath();
          if (upright) { context.moveTo(at, area.top); context.lineTo(at, area.bottom); }
          else { context.moveTo(area.left, at); context.lineTo(area.right, at); }
          context.stroke();
          context.font = "600 12px " + Chart.defaults.font.family;
          if (upright) {
            context.textAlign = at > (area.left + area.right) / 2 ? "right" : "left";
            context.fillText(rule.label, at + (context.textAlign === "right" ? -6 : 6), area.bottom - 8);
          } else {
            context.fillText(rule.label, area.left + 6, at - 6);
          }
          context.restore();
        });
      }
    };
  }

  function options(yScale) {
    var grid = { color: color("line") };
    return {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      scales: {
        x: {
          type: "linear",
          min: Math.log2(levels[0]) - 0.25,
          max: Math.log2(levels[levels.length - 1]) + 0.25,
          title: { display: true, text: "concurrent requests (log scale)" },
          grid: grid,
          afterBuildTicks: function (axis) {
            axis.ticks = levels.map(function (n) { return { value: Math.log2(n) }; });
          },
          ticks: {
            maxRotation: 0,
            callback: function (value) { return String(Math.round(Math.pow(2, value))); }
          }
        },
        y: Object.assign({ grid: grid }, yScale)
      },
      plugins: {
        legend: { position: "bottom", labels: { usePointStyle: true, pointStyle: "line" } },
        tooltip: {
          callbacks: {
            title: function (items) {
              return Math.round(Math.pow(2, items[0].parsed.x)) + " concurrent";
            },
            label: function (item) { return item.dataset.label + ": " + number(item.parsed.y); }
          }
        }
      }
    };
  }

  function throughputChart() {
    var sets = [line("measured", data.throughput, "sea")];
    if (data.law.length) {
      sets.push(line("the simulator's law", data.law, "soft", {
        borderDash: [3, 4], borderWidth: 1.5, pointRadius: 0, segment: {}
      }));
    }
    return {
      type: "line",
      data: { datasets: sets },
      options: options({ beginAtZero: true, ticks: { callback: number } }),
      plugins: [rules(data.knee ? [Object.assign({ color: "reef" }, data.knee)] : [])]
    };
  }

  function latencyRange() {
    var values = data.slas.map(function (sla) { return sla.y; });
    data.latency.forEach(function (series) {
      series.points.forEach(function (point) { if (point.y > 0) values.push(point.y); });
    });
    if (!values.length) return {};
    return { min: Math.min.apply(null, values) / 1.6, max: Math.max.apply(null, values) * 1.6 };
  }

  function latencyChart() {
    var names = ["sea", "deep", "reef", "soft"];
    var used = {};
    var sets = data.latency.map(function (series, i) {
      used[series.label] = names[i % names.length];
      return line(series.label, series.points, used[series.label]);
    });
    var lines = data.slas.map(function (sla) { return { y: sla.y, label: sla.label, color: "fail" }; });
    if (data.knee) lines.push(Object.assign({ color: "reef" }, data.knee));
    var range = latencyRange();
    return {
      type: "line",
      data: { datasets: sets },
      options: options(Object.assign(range, {
        type: "logarithmic",
        afterBuildTicks: function (axis) {
          var ticks = [];
          for (var power = -3; power < 9; power++) {
            [1, 2, 5].forEach(function (digit) {
              var value = digit * Math.pow(10, power);
              if (value >= axis.min && value <= axis.max) ticks.push({ value: value });
            });
          }
          axis.ticks = ticks;
        },
        ticks: { callback: number }
      })),
      plugins: [rules(lines)]
    };
  }

  function draw() {
    charts.forEach(function (chart) { chart.destroy(); });
    Chart.defaults.color = color("soft");
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    charts = [["throughput-chart", throughputChart()], ["latency-chart", latencyChart()]].map(function (pair) {
      return new Chart(document.getElementById(pair[0]), pair[1]);
    });
    root.setAttribute("data-charts", String(charts.length));
  }

  draw();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  // On paper nothing unfolds: print it open.
  var folded = [];
  window.addEventListener("beforeprint", function () {
    folded = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    folded.forEach(function (details) { details.open = true; });
    charts.forEach(function (chart) { chart.resize(); });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (details) { details.open = false; });
  });
  // A link to a level opens its details.
  window.addEventListener("hashchange", openTarget);
  function openTarget() {
    var target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (target && target.tagName === "DETAILS") target.open = true;
  }
  openTarget();
})();
