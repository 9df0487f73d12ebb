// Numbers as people write them: with comma or point, whatever the language of their browser.
"use strict";

const Numbers = (() => {
  const PLAIN = /^[+-]?(\d+[.,]?\d*|[.,]\d+)$/;
  // Three digits between marks of one kind, and perhaps decimals after the other mark.
  const GROUPED = /^[+-]?[1-9]\d{0,2}([ '.,])\d{3}(\1\d{3})*((?!\1)[.,]\d*)?$/;

  function tidy(typed) {
    return typed.trim().replace(/[\u2212\u2013]/g, "-").replace(/\s/g, " ").replace(/[’´`]/g, "'");
  }

  // What a text may mean: the number that it is, and that with marks between thousands.
  function readings(typed) {
    const text = tidy(typed);
    const mark = GROUPED.exec(text)?.[1];
    const number = (digits) => Number(digits.replace(",", "."));
    return {
      plain: PLAIN.test(text) ? [number(text)] : [],
      grouped: mark ? [number(text.replaceAll(mark, ""))] : [],
    };
  }

  // In the page's language; thousands are apart by a space, which no language reads otherwise.
  function shown(value, language) {
    let format;
    try {
      format = new Intl.NumberFormat(language, { maximumFractionDigits: 15 });
    } catch { // a language of one's own
      format = new Intl.NumberFormat("en", { maximumFractionDigits: 15 });
    }
    const isShort = Math.abs(value) < 10000;
    return format.formatToParts(value)
      .map(({ type, value: part }) => (type !== "group" ? part : isShort ? "" : "\u202f")).join("");
  }

  return { readings, shown };
})();
