// One tooltip for the page, beside the pointer and inside the window.

const element = document.getElementById("tooltip");

export function showTip(event, content) {
  element.replaceChildren(...content);
  element.hidden = false;
  const { width, height } = element.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, innerWidth - width - 10);
  const y = event.clientY + height + 22 > innerHeight ? event.clientY - height - 12 : event.clientY + 16;
  element.style.left = `${Math.max(x, 8)}px`;
  element.style.top = `${Math.max(y, 8)}px`;
}

export function hideTip() {
  element.hidden = true;
}
