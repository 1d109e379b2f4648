import type { HookContext, HookRequest } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { redact } from '../src/index.ts'

const size = 1_048_576
const fill = (unit: string) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)

/** Texts of 1 MiB on which searches with backtracking, or from every position to the end, take minutes. */
const hostile: Readonly<Record<string, string>> = {
  'one letter': fill('a'),
  'local parts without a domain': fill(`${'a'.repeat(64)}@`),
  'addresses in addresses': fill('a@b.c'),
  dots: fill('a.'),
  'at signs': fill('@'),
  'a domain without an end': `a@${fill('a.')}`,
  digits: fill('4'),
  'digits and blanks': fill('4 '),
  'groups of digits': fill('4111 '),
  'cards that are none': fill('4111-1111-1111-1112 '),
  cards: fill('4111111111111111 '),
  'prefixes of phones': fill('+'),
  zeros: fill('00 '),
  phones: fill('+49 30 901820 '),
  parentheses: fill('+1 ('),
  'beginnings of accounts': fill('DE89 '),
  'accounts that are none': fill('DE00370400440532013000 '),
  'prefixes of tokens': fill('sk-'),
  'prefixes of tokens with blanks': fill('sk-a ghp_b AIza '),
  'names like tokens': fill('sk-fading-circle-animation '),
  'headers of JSON Web Tokens': fill('eyJhbGciOiJIUzI1NiJ9.'),
  'JSON Web Tokens without dots': fill('eyJ'),
  'first lines of keys': fill('-----BEGIN PRIVATE KEY-----\n'),
  'keys without an end': fill(`-----BEGIN PRIVATE KEY-----\n${'A'.repeat(32)}\n`),
  dashes: fill('-'),
  blanks: fill(' '),
  backslashes: fill('\\'),
  escapes: fill('\\u0040\\n'),
  placeholders: fill('[EMAIL_1]'),
  'beginnings of placeholders': fill('[A_1_'),
  'zero-width characters': fill('4\u200b'),
  'full-width digits': fill('４'),
  Chinese: fill('漢字'),
  emoji: fill('😀'),
  'many values': Array.from({ length: 40_000 }, (_, at) => `u${at}@example.com`).join(' '),
}

const context = () => ({ state: {} }) as unknown as HookContext

describe('redact takes linear time', () => {
  const hook = redact({ direction: 'both' })

  it.each(Object.entries(hostile))('for %s', (_, text) => {
    const state = context()
    const started = performance.now()
    void hook.onRequest!(
      { texts: [{ path: ['input'], text, role: 'user' }] } as unknown as HookRequest,
      state,
    )
    const requested = performance.now()
    void hook.onChunk!({ kind: 'text', choice: 0, text, before: '', isLast: true }, state)
    const responded = performance.now()
    // Measured: 100 to 300 ms on a machine of 2 cores. A search from every position takes minutes.
    expect(requested - started).toBeLessThan(2_500)
    expect(responded - requested).toBeLessThan(2_500)
  })

  it('in a stream of many parts', () => {
    const state = context()
    const started = performance.now()
    const holdBack = hook.holdBack!
    let held = ''
    for (let at = 0; at < 5_000; at++) {
      held += 'a@b.c 4111 '
      if (held.length <= holdBack) continue
      void hook.onChunk!({ kind: 'text', choice: 0, text: held, before: '', isLast: false }, state)
      held = held.slice(-holdBack)
    }
    expect(performance.now() - started).toBeLessThan(2_500)
  })
})
