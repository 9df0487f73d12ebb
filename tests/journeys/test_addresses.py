"""Addresses in a browser: back, reloaded, opened twice, opened by somebody else."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import needs_browser
from tests.journeys.pages import go, look_for, open_page, open_search, script_ended, take_first
from tests.paths import ROOT

pytestmark = [pytest.mark.browser, needs_browser]


def choose(page: Page, tab: str) -> None:
    page.get_by_role("radio", name=tab, exact=True).click()
    # A click is seen at once; the address is written when the server has heard of it.
    expect(page).to_have_url(re.compile(f"[&?]tab={tab.lower()}(&|$)"))
    shows(page, tab)


def shows(page: Page, tab: str) -> None:
    expect(page.get_by_role("radio", name=tab, exact=True)).to_be_checked()


def test_back_undoes_one_step_and_an_address_shows_the_same_anywhere(browser, address):
    page = open_page(browser, f"{address.split('?')[0]}?sample=ekman_colors")
    name = page.get_by_test_id("stSidebar").get_by_text("Ekman").first
    expect(name).to_be_visible()
    go(page, "Data")
    choose(page, "Objects")
    choose(page, "Answers")
    go(page, "Report")
    expect(page.get_by_role("heading", name="Report", exact=True).first).to_be_visible()
    page.go_back()
    shows(page, "Answers")
    page.go_back()
    shows(page, "Objects")
    page.reload()
    shows(page, "Objects")
    other = page.context.new_page()
    other.goto(page.url)
    shows(other, "Objects")
    assert "session=" in other.url
    session = page.url.split("session=")[1].split("&")[0]
    assert session not in other.url
    go(other, "Start")
    choose(page, "Answers")
    shows(page, "Answers")
    page.close()


def test_what_is_looked_for_is_found_by_keyboard(browser, address):
    page = open_page(browser, f"{address.split('?')[0]}?sample=ekman_colors")
    expect(page.get_by_test_id("stSidebar").get_by_text("Ekman").first).to_be_visible()
    look_for(page, "how many clusters", "Clusters, Number and stability: ")
    shows(page, "Number and stability")
    look_for(page, "610 nm", "selects the object, Embedding: 610 nm")
    shows(page, "Map")
    expect(page.get_by_text("1 object: 610 nm")).to_be_visible()
    look_for(page, "soe", "Embedding: SOE")
    expect(page.get_by_role("combobox", name="Method")).to_have_value("SOE")
    page.close()


def test_letters_typed_before_the_search_is_there_reach_it(browser, address):
    """They were lost; and a search that was opened again brought the last words back."""
    page = open_page(browser, f"{address.split('?')[0]}?sample=ekman_colors")
    field = open_search(page)
    page.keyboard.type("dendrogram")
    page.keyboard.press("Control+k")  # pressed again, it keeps its words
    page.keyboard.type("s")
    expect(field).to_have_value("dendrograms")
    take_first(page, "Clusters")
    script_ended(page)
    page.keyboard.press("Control+k")
    page.keyboard.type("610 mn", delay=20)
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("nm")
    expect(page.get_by_role("dialog").get_by_role("searchbox")).to_have_value("610 nm")
    take_first(page, "selects the object, Embedding: 610 nm")
    page.close()


def test_a_dialog_that_takes_the_focus_late_leaves_it_to_its_field(browser):
    """The field never had it, and what was typed until then was lost."""
    page = browser.new_page()
    page.set_content("<h1 tabindex=-1>Clusters</h1>")
    script = (ROOT / "dashboard/ui/assets/focus.js").read_text("utf-8")
    found = page.evaluate("""async (script) => {
        const place = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
        const { default: focus } = await import(place);
        document.querySelector("h1").focus();
        const turn = (data) => focus({ data: { name: data.target, turn: "1", ...data } });
        turn({ target: "section input", take: true });
        document.body.insertAdjacentHTML("beforeend", "<section tabindex=-1></section>");
        document.querySelector("section").focus();
        await new Promise(resolve => setTimeout(resolve, 300));
        document.querySelector("section").innerHTML = "<input>"; // which comes last
        await new Promise(resolve => setTimeout(resolve, 500));
        const late = document.activeElement.tagName;
        document.querySelector("section").innerHTML = "<input>"; // by a run of the page
        turn({ target: "section input", take: true });
        await new Promise(resolve => setTimeout(resolve, 500));
        document.querySelector("h1").focus();
        turn({ target: "section input", take: true }); // who has moved on stays there
        await new Promise(resolve => setTimeout(resolve, 500));
        return [late, document.activeElement.tagName];
    }""", script)
    assert found == ["INPUT", "H1"]


def test_what_was_written_is_there_when_a_run_replaces_the_field(browser):
    page = browser.new_page()
    page.set_content("<button>b</button>")
    script = (ROOT / "dashboard/ui/assets/typed.js").read_text("utf-8")
    found = page.evaluate("""async (script) => {
        const place = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
        (await import(place)).default();
        const dialog = "<div role=dialog><input type=search></div>";
        const field = () => {
            document.querySelector("[role=dialog]")?.remove();
            document.body.insertAdjacentHTML("beforeend", dialog);
            const made = document.querySelector("input");
            made.focus();
            return made;
        };
        const press = (key, ctrlKey) => document.body.dispatchEvent(
            new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true }));
        press("k", true);
        [..."610 nm"].forEach((key) => press(key));
        const written = [field().value, field().value];
        document.querySelector("[role=dialog]").remove(); // typed until the next one is there
        [..."xy"].forEach((key) => press(key));
        press("Backspace");
        written.push(field().value);
        document.querySelector("[role=dialog]").remove();
        press("Escape"); // closed: letters are for nobody
        press("z");
        press("k", true); // opened anew, it is empty
        return [...written, field().value];
    }""", script)
    assert found == ["610 nm", "610 nm", "610 nmx", ""]
