// One way through the program and one run as a participant, in Firefox; see firefox.py.
import { readdirSync } from "node:fs";
import puppeteer from "puppeteer-core";

const [firefox, address, file, folder, collecting] = process.argv.slice(2);
const PATIENCE = 300_000; // milliseconds
const browser = await puppeteer.launch({ browser: "firefox", executablePath: firefox, headless: true });
const problems = [], steps = [];

async function opened(where) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.setViewport({ width: 1400, height: 1000 });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    // Styles within jsPsych's own markup are not let in; the pages have theirs.
    if (message.type() === "error" && !/inline style \(style-src-attr\)/.test(message.text()))
      problems.push(message.text());
  });
  await page.goto(where);
  return page;
}

async function step(page, name, until) {
  await page.waitForFunction(until);
  await page.screenshot({ path: `${folder}/${steps.length}.png` });
  steps.push(name);
}

const press = (page, words) => page.locator(`::-p-xpath(//button[contains(., "${words}")])`).click();
const rests = () => document.querySelector('[data-test-script-state="notRunning"]');

const page = await opened(address);
const upload = await page.waitForSelector(".st-key-upload input[type=file]");
await upload.uploadFile(file);
await step(page, "an upload is read", () => document.body.innerText.includes("Read correctly"));
await page.keyboard.down("Control");
await page.keyboard.press("Enter");
await page.keyboard.up("Control");
await step(page, "kept by its key", () => document.body.innerText.includes("Sufficient"));
await page.locator('[data-testid=stSidebar] a[href*="/embedding"]').click();
await step(page, "a map with ellipses", () => document.body.innerText.includes("from 100 replicates")
  && document.querySelector(".st-key-map .nsewdrag"));
await page.waitForFunction(rests);
const { x, y, width, height } = await (await page.$(".st-key-map .nsewdrag")).boundingBox();
await page.mouse.move(x + 3, y + 3);
await page.mouse.down();
for (const [right, low] of [[0.5, 0], [0.5, 1], [0, 1], [0, 0]])
  await page.mouse.move(x + 3 + right * (width - 6), y + 3 + low * (height - 6), { steps: 6 });
await page.mouse.up();
await step(page, "a lasso", () => /\d+ selected objects/.test(document.body.innerText));

await press(page, "Download figure");
await step(page, "a figure for print", () => [...document.querySelectorAll("button")]
  .some((button) => button.innerText.includes("PDF") && !button.disabled));
await page.keyboard.press("Escape");
await page.locator('[data-testid=stSidebar] a[href*="/report"]').click();
await step(page, "a report", () => document.querySelector(".ts-report table"));
await page.close();

const study = await opened(collecting);
const TURN = ".options .option:not(:disabled)";
const ON = ".jspsych-btn.main:not(.done), #jspsych-instructions-next";
const shown = () => document.querySelector("#jspsych-content, .jspsych-content").innerText
  + (document.querySelector("#progress span")?.textContent ?? "");
let answers = 0;
while (!(await study.waitForSelector(`${TURN}, ${ON}, html[data-end]`) && await study.$("html[data-end]"))) {
  const before = await study.evaluate(shown), option = await study.$(TURN);
  await (option ?? await study.$(ON)).click();
  answers += option !== null;
  await study.waitForFunction((old) => document.documentElement.dataset.end !== undefined
    || document.querySelector("#jspsych-content, .jspsych-content").innerText
      + (document.querySelector("#progress span")?.textContent ?? "") !== old, {}, before);
}
await study.screenshot({ path: `${folder}/${steps.length}.png` });
steps.push(`a participant, ${answers} answers`);
await browser.close();
console.log(JSON.stringify({ steps, answers, problems, pictures: readdirSync(folder).length }));
