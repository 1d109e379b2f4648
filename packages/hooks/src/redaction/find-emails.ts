import type { Finder, Span } from './finder.ts'

const maxLocal = 64
const maxDomain = 253

const localCharacter = /[\p{L}\p{N}._%+'-]/u
const domainCharacter = /[\p{L}\p{N}.-]/u
const topLevel = /^(?:\p{L}{2,63}|xn--[a-z\d-]{2,59})$/iu
const label = /^(?!-).{1,63}(?<!-)$/u
/** Of `image@2x.png`. */
const scaledImage = /^\d+x\.(?:png|jpe?g|gif|webp|svg|avif)$/i

/** Mail addresses whose domain has a top level. Each `@` is read once, with a bounded surrounding. */
export const emails: Finder = {
  maxLength: maxLocal + maxDomain + 4,
  next(text, from) {
    for (let at = text.indexOf('@', from); at !== -1; at = text.indexOf('@', at + 1)) {
      const span = addressAround(text, at, from)
      if (span !== undefined) return span
    }
    return undefined
  },
}

function addressAround(text: string, at: number, from: number): Span | undefined {
  let start = at
  const first = Math.max(from, at - maxLocal)
  while (start > first && localCharacter.test(text[start - 1]!)) start--
  // A quote or a dot before an address is no part of it.
  while (start < at && /[.'%+-]/.test(text[start]!)) start++
  if (start === at || text[at - 1] === '.') return undefined
  let end = at + 1
  const bound = Math.min(text.length, at + 1 + maxDomain)
  while (end < bound && domainCharacter.test(text[end]!)) end++
  while (end > at && /[.-]/.test(text[end - 1]!)) end--
  const domain = text.slice(at + 1, end)
  const labels = domain.split('.')
  if (labels.length < 2 || !topLevel.test(labels.at(-1)!) || !labels.every(each => label.test(each)))
    return undefined
  return scaledImage.test(domain) || isRepository(text, start, at, end) ? undefined : { start, end }
}

/** The address of a repository, such as `git@example.com:team/project`. */
function isRepository(text: string, start: number, at: number, end: number): boolean {
  return text.slice(start, at) === 'git' && text[end] === ':' && /[\w~/.-]/.test(text[end + 1] ?? '')
}
