// Light or dark before the first paint: as chosen, else as the system has it. A classic script, so that nothing flashes.

(() => {
  const key = "tgap-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      const kept = localStorage.getItem(key);
      return kept === "light" || kept === "dark" ? kept : "auto";
    } catch {
      return "auto"; // storage may be forbidden
    }
  }

  function apply() {
    const choice = chosen();
    document.documentElement.dataset.theme = choice === "auto" ? (system.matches ? "dark" : "light") : choice;
  }

  system.addEventListener("change", apply);
  apply();

  window.tgapTheme = {
    chosen,
    next() {
      const order = ["auto", "light", "dark"];
      const choice = order[(order.indexOf(chosen()) + 1) % order.length];
      try {
        localStorage.setItem(key, choice);
      } catch {
        document.documentElement.dataset.theme = choice;
      }
      apply();
      return choice;
    },
  };
})();
