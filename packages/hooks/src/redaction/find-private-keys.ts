import type { Finder } from './finder.ts'

const firstLine = /-----BEGIN (?:[A-Z\d]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const lastLine = /-----END (?:[A-Z\d]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/
/** What follows the first line of a key, and not of a text that only names the line. */
const beginning = /\s{0,64}(?:[A-Za-z\d+/=]{16}|Proc-Type:|Version:|Comment:)/y
const foreign = /[^A-Za-z\d+/=\s:,.()-]/g

/** Private keys in PEM, and those of PGP: from their first line to the last one, or to what cannot be part of a key. */
export const privateKeys: Finder = {
  maxLength: 320,
  next(text, from) {
    firstLine.lastIndex = from
    for (let match = firstLine.exec(text); match !== null; match = firstLine.exec(text)) {
      const bodyAt = match.index + match[0].length
      beginning.lastIndex = bodyAt
      if (beginning.test(text)) return { start: match.index, end: endAfter(text, bodyAt) }
    }
    return undefined
  },
  continued: text => endAfter(text, 0),
  shortened: () => '',
}

function endAfter(text: string, at: number): number {
  foreign.lastIndex = at
  const bound = foreign.exec(text)?.index ?? text.length
  const last = lastLine.exec(text.slice(at, bound))
  return last === null ? bound : at + last.index + last[0].length
}
