// The explorer: one question at a time, its answers, and the walk to the chosen answer.

import { answersCard } from "./answers.js";
import { alive, get, post, setUp } from "./api.js";
import { AskBar } from "./askbar.js";
import { CheckCard } from "./check.js";
import { askForToken, showCard } from "./dialogs.js";
import { debounced, h, icon } from "./dom.js";
import { failureWords, mayHelpToTryAgain, waitingWords } from "./failures.js";
import { percent } from "./format.js";
import { pathsCard } from "./paths.js";
import { body, fromAddress, fromApi, toAddress, words } from "./question.js";
import { emptyState, failedState, loadingState, notice, withoutReasons } from "./states.js";
import { toast } from "./toast.js";
import { walkOf } from "./walk/model.js";
import { WalkCard } from "./walkcard.js";

const EDGES = 10; // strongest edges a step, in the tables
const BUNDLES = 40; // heaviest bundles a step, in the picture
const PATHS = 6;
const TOP = 10;

const results = document.getElementById("results");
const noticeBox = document.getElementById("notice");
const announcer = document.getElementById("announcer");
const starters = document.getElementById("starters");
const bar = new AskBar(document.getElementById("ask-form"), (question) => ask(question));

const state = {
  card: null,
  timeline: null,
  question: null,
  prediction: null,
  walk: null,
  selected: "",
  truth: null,
  newest: null,
};
const answersPlace = h("div", { class: "place-answers" });
const walkPlace = h("div", { class: "place-walk" });
const pathsPlace = h("div", { class: "place-paths" });
const checkPlace = h("div", { class: "place-check" });
const check = new CheckCard(showFailure);
const dragged = debounced((time) => ask({ ...state.question, time }, { quiet: true }), 140);
const walkCard = new WalkCard({
  drag: dragged,
  settle: (time) => {
    dragged.cancel();
    ask({ ...state.question, time }, { quiet: true, settled: true });
  },
  whatIf: (fact) => check.whatIf(fact),
  exported: () => ({
    question: state.question,
    prediction: state.prediction,
    walk: state.walk,
    picture: walkCard.picture,
  }),
  tell: (text) => {
    announce(text);
    toast(text);
  },
});
const sideColumn = h("div", { class: "column side" }, answersPlace, checkPlace);
// A column that is higher than the window stops with its end in sight, a lower one with its beginning.
const stick = () =>
  sideColumn.style.setProperty("--stick", `${Math.min(12, innerHeight - sideColumn.offsetHeight - 12)}px`);
new ResizeObserver(stick).observe(sideColumn);
addEventListener("resize", stick);

function announce(text) {
  announcer.textContent = text;
}

/** Ask a question and show all there is. ``quiet``: the date is being dragged, what is shown stays until the new is there. */
async function ask(question, { push = true, quiet = false, settled = !quiet, truth = null } = {}) {
  state.newest?.abort();
  const mine = new AbortController();
  state.newest = mine;
  state.question = question;
  state.truth = truth ?? (quiet ? null : state.truth?.for === words(question) ? state.truth : null);
  bar.question = question;
  if (push && settled) history.pushState(null, "", toAddress(question));
  document.title = `${words(question)} · tgap`;
  if (!quiet) {
    noticeBox.replaceChildren();
    results.replaceChildren(loadingState());
    results.setAttribute("aria-busy", "true");
  }
  foldExamples(true);
  try {
    const answered = post("predict", { ...body(question), top: TOP }, mine.signal);
    const reasons = askWhy(question, mine.signal); // asked at once: it needs no more than the question
    const prediction = await answered;
    if (mine.signal.aborted) return;
    showPrediction(prediction, question);
    await showWhy(await reasons, question, mine, !quiet);
    noticeBox.replaceChildren();
  } catch (error) {
    if (error.name === "AbortError" || mine.signal.aborted) return;
    mine.abort();
    const place = results.contains(answersPlace) ? walkPlace : results;
    if (!quiet)
      place.replaceChildren(
        failedState(
          error.code === "offline" ? "The question is kept above." : "Change the question above and ask again.",
        ),
      );
    showFailure(error);
  } finally {
    if (state.newest === mine) results.removeAttribute("aria-busy");
  }
}

function showPrediction(prediction, question) {
  state.prediction = prediction;
  const both = question.subject && question.object;
  state.selected = question.answer || (both ? prediction.asked.name : (prediction.answers[0]?.name ?? ""));
  drawAnswers();
  if (!results.contains(answersPlace)) {
    walkPlace.replaceChildren(
      state.card?.explains === false
        ? withoutReasons()
        : h("div", { class: "card" }, h("div", { class: "skeleton block" })),
    );
    pathsPlace.replaceChildren();
    checkPlace.replaceChildren();
    results.replaceChildren(
      h("div", { class: "grid" }, sideColumn, h("div", { class: "column" }, walkPlace, pathsPlace)),
    );
  }
  const [best] = prediction.answers;
  announce(best ? `${prediction.answers.length} answers. Best: ${best.name}, ${percent(best.score)}.` : "No answer.");
}

/** The reasons for the chosen answer (where none is chosen: the best one, or the one that the question names). */
async function askWhy(question, signal) {
  if (state.card?.explains === false) return null;
  const asked = body(question);
  const answer = question.answer || (question.subject && question.object) || null;
  if (question.subject) asked.object = null;
  try {
    const wanted = { effects: 0, hide_asked: false, edges: EDGES, bundles: BUNDLES, paths: PATHS };
    return await post("explain", { ...asked, answer, ...wanted }, signal);
  } catch (error) {
    return error; // told where the reasons would be shown, after what is wrong with the question itself
  }
}

async function showWhy(reasons, question, mine, fresh) {
  if (mine.signal.aborted || !reasons || !state.selected) return;
  if (reasons instanceof Error) throw reasons;
  state.walk = walkOf(reasons);
  if (!walkPlace.contains(walkCard.element)) walkPlace.replaceChildren(walkCard.element);
  if (!checkPlace.contains(check.element)) checkPlace.replaceChildren(check.element);
  walkCard.show(state.walk, state.timeline ?? (await timeline()), fresh);
  pathsPlace.replaceChildren(pathsCard(state.walk, (path) => walkCard.trace(path)));
  check.reset(question, state.selected);
}

function drawAnswers() {
  const focused = document.activeElement?.closest?.(".answer")?.dataset.name;
  answersPlace.replaceChildren(
    answersCard({
      ...state,
      choose: (name) => choose(name),
      reveal: () => {
        state.truth = { ...state.truth, revealed: true };
        drawAnswers();
        announce(`The true answer is ${state.truth.answers[0]}.`);
      },
    }),
  );
  if (focused) answersPlace.querySelector(`.answer[data-name="${CSS.escape(focused)}"]`)?.focus();
}

/** Explain another answer. */
async function choose(name) {
  state.newest?.abort();
  const mine = new AbortController();
  state.newest = mine;
  state.selected = name;
  state.question = { ...state.question, answer: name };
  history.pushState(null, "", toAddress(state.question));
  drawAnswers();
  try {
    await showWhy(await askWhy(state.question, mine.signal), state.question, mine, true);
  } catch (error) {
    if (error.name !== "AbortError") showFailure(error);
  }
}

function showFailure(error) {
  const again = h(
    "button",
    { type: "button", class: "button", onclick: () => ask(state.question ?? bar.question, { push: false }) },
    "Try again",
  );
  if (error.code === "unknown_name") {
    const { field, suggestions } = error.details;
    bar.complain(field);
    const chips = suggestions.map((name) =>
      h("button", { type: "button", class: "chip", onclick: () => ask({ ...state.question, [field]: name }) }, name),
    );
    const offers = chips.length ? [h("span", {}, "Did you mean"), ...chips] : [];
    noticeBox.replaceChildren(notice(failureWords(error), ...offers));
  } else {
    noticeBox.replaceChildren(notice(failureWords(error), mayHelpToTryAgain(error.code) && again));
    if (error.code === "offline") waitForServer();
  }
  noticeBox.scrollIntoView({ block: "nearest" });
}

/** Say that an answer takes longer than usual, ``failure`` is why; null once it has come. */
function showWaiting(failure) {
  const shown = noticeBox.querySelector("[data-waiting]");
  if (!failure) shown?.remove();
  else if (!shown) {
    const waiting = notice(waitingWords(failure));
    waiting.dataset.waiting = "";
    noticeBox.replaceChildren(waiting);
  }
}

/** Take the notice away as soon as the server is back. */
function waitForServer() {
  setTimeout(async () => {
    if (!noticeBox.hasChildNodes()) return;
    if (await alive())
      noticeBox.replaceChildren(
        notice(
          "The server is back.",
          h(
            "button",
            { type: "button", class: "button", onclick: () => ask(state.question ?? bar.question, { push: false }) },
            "Ask again",
          ),
        ),
      );
    else waitForServer();
  }, 2500);
}

async function timeline() {
  state.timeline ??= await get("timeline", { points: 20_000 });
  bar.timeline = state.timeline.texts;
  return state.timeline;
}

async function random() {
  try {
    const found = await get("questions/random");
    const question = fromApi(found.question);
    await ask(question, { truth: { for: words(question), answers: found.answers, revealed: false } });
  } catch (error) {
    showFailure(error);
  }
}

function showStarters(questions) {
  const starter = (question) => {
    const part = (name) => (name ? name : h("span", { class: "hole" }, "?"));
    return h(
      "button",
      { type: "button", class: "chip starter", onclick: () => ask(fromApi(question)) },
      part(question.subject),
      ` · ${question.relation} · `,
      part(question.object),
      " ",
      h("span", { class: "when" }, question.time),
    );
  };
  starters.replaceChildren(
    h(
      "button",
      { type: "button", class: "chip random", id: "random", onclick: random },
      icon("dice"),
      "Random test question",
    ),
    h(
      "button",
      { type: "button", class: "chip", id: "examples-button", onclick: () => foldExamples(false) },
      "Examples",
    ),
    h("span", { class: "hint" }, "or try"),
    h("span", { class: "examples" }, questions.map(starter)),
  );
}

/** Examples make room once something is asked. */
function foldExamples(folded) {
  starters.classList.toggle("folded", folded);
  if (!folded && document.activeElement?.id === "examples-button") starters.querySelector(".starter")?.focus();
}

function showTheme() {
  const button = document.getElementById("theme-button");
  const names = { auto: "as the system", light: "light", dark: "dark" };
  const draw = () => {
    const choice = window.tgapTheme.chosen();
    button.replaceChildren(icon(choice));
    button.setAttribute("aria-label", `Colours: ${names[choice]}`);
    button.title = `Colours: ${names[choice]}`;
  };
  button.addEventListener("click", () => {
    window.tgapTheme.next();
    draw();
  });
  draw();
}

async function begin() {
  showTheme();
  setUp(askForToken, showWaiting);
  const asked = fromAddress(location.search);
  if (asked) {
    state.question = asked;
    bar.question = asked;
    results.replaceChildren(loadingState());
  } else {
    results.replaceChildren(emptyState(null));
  }
  addEventListener("popstate", () => {
    const question = fromAddress(location.search);
    if (question) ask(question, { push: false });
    else home();
  });
  const aboutButton = document.getElementById("about-button");
  try {
    const [card, examples] = await Promise.all([get("model"), get("questions/examples")]);
    state.card = card;
    aboutButton.textContent = `${card.dataset.name} · ${card.scorer}`;
    aboutButton.title = "About this model";
    aboutButton.addEventListener("click", () => showCard(card));
    document.getElementById("foot-model").textContent =
      `${card.dataset.entities.toLocaleString("en")} entities, ${card.dataset.relations.toLocaleString("en")} relations, ${card.dataset.timeline.first} to ${card.dataset.timeline.last}`;
    showStarters(examples.questions);
    if (asked) await ask(asked, { push: false });
    else home();
    await timeline();
  } catch (error) {
    aboutButton.textContent = "no connection";
    showFailure(error);
  }
}

function home() {
  state.newest?.abort();
  state.question = null;
  document.title = "tgap explorer";
  noticeBox.replaceChildren();
  foldExamples(false);
  results.replaceChildren(emptyState(state.card));
}

begin();
