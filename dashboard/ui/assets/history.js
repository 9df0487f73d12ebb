// One step back in the browser for one step of the user. Streamlit writes an address in several
// goes: the page, then what the page names; each would be an entry of its own.
export default function () {
  if (history.tripletscope) return
  history.tripletscope = true
  const push = history.pushState.bind(history)
  let acted = false
  for (const kind of ["pointerdown", "keydown"]) {
    window.addEventListener(kind, () => { acted = true }, { capture: true, passive: true })
  }
  window.addEventListener("popstate", () => { acted = false }, { capture: true })
  history.pushState = (state, title, url) => {
    if (acted) push(state, title, url)
    else history.replaceState(state, title, url)
    acted = false
  }
}
