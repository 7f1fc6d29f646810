// The console's one script: keys, live progress, the estimate, copying. Every page works without it.
"use strict";

(() => {
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const follow = (selector) => { const link = one(selector); if (link) link.click(); return Boolean(link); };

  // Rows: J and K move the focus; with a row beside the table, the panel moves along.
  const rows = all("[data-row]");
  const place = () => {
    const focused = rows.indexOf(document.activeElement);
    return focused >= 0 ? focused : rows.findIndex((row) => row.hasAttribute("aria-current"));
  };
  const move = (by) => {
    if (!rows.length) return;
    const at = place();
    const to = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by));
    if (one(".peek") && to !== at) { window.location.replace(rows[to].href); return; }
    rows[to].focus();
  };
  const current = rows.find((row) => row.hasAttribute("aria-current"));
  if (current) current.focus({ preventScroll: false });

  const help = one("#help");
  const open = () => {
    const row = rows[place()];
    if (row) window.location.assign(row.dataset.full); else follow("[data-open]");
  };
  const escape = () => {
    if (help && help.open) { help.close(); return; }
    follow("[data-back]");
  };
  const keys = {
    j: () => move(1),
    k: () => move(-1),
    o: open,
    "/": () => { const field = one("#filter"); if (field) { field.focus(); field.select(); } },
    "[": () => follow("[data-newer]"),
    "]": () => follow("[data-older]"),
    r: () => { const form = one("[data-replay]"); if (form) form.requestSubmit(); },
    "?": () => { if (help && !help.open) help.showModal(); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select");
    if (event.key === "Escape") {
      if (field) { field.blur(); return; }
      if (help && help.open) return; // the dialog closes itself
      event.preventDefault();
      escape();
      return;
    }
    if (field || (help && help.open)) return;
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  // The question field: Enter sends, Shift and Enter begin a new line; the estimate follows what is typed.
  const form = one("[data-estimate]");
  if (form) {
    const question = form.elements.question;
    const estimate = one("#estimate");
    let timer = 0;
    let latest = 0;
    const ask = async () => {
      const turn = ++latest;
      const fields = new URLSearchParams({ question: question.value, depth: form.elements.depth.value });
      if (form.elements.documents.checked) fields.set("documents", "on");
      const answer = await fetch(`${form.dataset.estimate}?${fields}`, { credentials: "same-origin" });
      if (answer.ok && turn === latest) estimate.textContent = (await answer.json()).text;
    };
    const soon = () => { clearTimeout(timer); timer = setTimeout(() => { ask().catch(() => {}); }, 250); };
    form.addEventListener("input", soon);
    question.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
    });
  }

  // Live progress: steps come as events; behind the last one the page holds the answer.
  const steps = one("[data-events]");
  if (steps) {
    const source = new EventSource(steps.dataset.events);
    source.onmessage = (event) => {
      const step = JSON.parse(event.data);
      const line = document.createElement("li");
      line.textContent = step.text;
      line.className = step.kind;
      steps.append(line);
    };
    source.onopen = () => { steps.replaceChildren(); };
    source.addEventListener("end", () => { source.close(); window.location.reload(); });
  }

  // Chips lead to a source; the focus goes there, too.
  const show = () => {
    const target = window.location.hash.startsWith("#source-") ? document.getElementById(window.location.hash.slice(1)) : null;
    if (target) { target.focus({ preventScroll: true }); target.scrollIntoView({ block: "nearest" }); }
  };
  window.addEventListener("hashchange", show);
  show();
  const chosen = one(".source.chosen");
  if (chosen) chosen.scrollIntoView({ block: "nearest" });

  for (const button of all("[data-copy]")) {
    button.addEventListener("click", async () => {
      const said = one("#copied");
      try {
        await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
        said.textContent = "Copied";
      } catch {
        said.textContent = "Select the text and copy it yourself";
      }
    });
  }

  for (const busy of all("[data-busy]")) {
    busy.addEventListener("submit", () => {
      const said = busy.querySelector("[data-status]");
      if (said) said.textContent = busy.dataset.busy;
      busy.querySelector("button").disabled = true;
    });
  }
})();
