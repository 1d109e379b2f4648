import type { Hook, HookChunk, HookContext, HookRequest } from '@sluice/core'
import { ConfigurationError } from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type RedactOptions, redact } from '../src/index.ts'
import { labelledTexts } from './labelled-texts.ts'
import { complete, deltasOf, messageOf, pieces, serving, stream, streamedText } from './support/serving.ts'

const mail = 'ann@example.com'
const card = '4111 1111 1111 1111'
const iban = 'DE89 3704 0044 0532 0130 00'
const key = `ghp_${'a1B2'.repeat(9)}`
const contentOf = (input: { readonly messages: readonly object[] } | undefined) =>
  ((input?.messages ?? []) as { content: string }[])[0]?.content

describe('redact', () => {
  it('replaces values in requests, and puts them back in the response', async () => {
    const { say, inputs, ends } = serving(
      () => complete('Mailed [EMAIL_1], charged [CARD_1], not [EMAIL_3].'),
      { hooks: [redact()] },
    )
    const response = await say(
      `I am ${mail}, cc bob@example.com, card ${card}, IBAN ${iban}, key ${key}, +49 30 901820`,
    )
    expect(contentOf(inputs[0])).toBe(
      'I am [EMAIL_1], cc [EMAIL_2], card [CARD_1], IBAN [IBAN_1], key [SECRET_1], [PHONE_1]',
    )
    expect((await messageOf(response)).content).toBe(`Mailed ${mail}, charged ${card}, not [EMAIL_3].`)
    expect(ends()[0]!.trace.hooks).toMatchObject([{ name: 'redact', outcome: 'changed' }])
  })

  it('has one placeholder for one value, in all texts of a request', async () => {
    const { post, inputs } = serving(() => complete('Yes'), { hooks: [redact()] })
    await post('chat/completions', {
      messages: [
        { role: 'system', content: `Never mail ${mail}` },
        { role: 'user', content: [{ type: 'text', text: `Who is ${mail}?` }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'f', arguments: `{"to":"\\n${mail}","pan":4111111111111111}` },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: `sent to ${mail}` },
      ],
    })
    const [system, user, assistant, tool] = inputs[0]!.messages as unknown as {
      content: unknown
      tool_calls: { function: { arguments: string } }[]
    }[]
    expect(system!.content).toBe('Never mail [EMAIL_1]')
    expect(JSON.stringify(user!.content)).toContain('Who is [EMAIL_1]?')
    expect(JSON.parse(assistant!.tool_calls[0]!.function.arguments)).toEqual({
      to: '\n[EMAIL_1]',
      pan: '[CARD_1]',
    })
    expect(tool!.content).toBe('sent to [EMAIL_1]')
  })

  it('keeps apart what a caller writes, and what it has replaced', async () => {
    const { say, inputs } = serving(() => complete('[EMAIL_1] and [EMAIL_2]'), { hooks: [redact()] })
    const response = await say(`Say [EMAIL_1], then ${mail}`)
    expect(contentOf(inputs[0])).toBe('Say [EMAIL_1], then [EMAIL_2]')
    expect((await messageOf(response)).content).toBe(`[EMAIL_1] and ${mail}`)
  })

  it('puts nothing of one request into the response to another', async () => {
    const { say } = serving(() => complete('[EMAIL_1] [EMAIL_2]'), { hooks: [redact()] })
    const texts = ['a@example.com', 'b@example.com', 'nobody', 'c@example.com']
    const responses = await Promise.all(texts.map(text => say(text)))
    const contents = await Promise.all(responses.map(async response => (await messageOf(response)).content))
    expect(contents).toEqual([
      'a@example.com [EMAIL_2]',
      'b@example.com [EMAIL_2]',
      '[EMAIL_1] [EMAIL_2]',
      'c@example.com [EMAIL_2]',
    ])
  })

  it('puts values back in refusals and in arguments, where they are escaped', async () => {
    const secret = 'say "hi"\\'
    const hook = redact({ patterns: [{ name: 'quote', pattern: /say "hi"\\/ }] })
    const call = { index: 0, id: 'c1', type: 'function' as const }
    const json = '{"to":"[EMAIL_1]","text":"[QUOTE_1]"}'
    const { say } = serving(
      (_, index) =>
        index === 0
          ? complete('', {
              content: null,
              refusal: 'Not [EMAIL_1].',
              tool_calls: [{ ...call, function: { name: 'f', arguments: json } }],
            })
          : stream(
              { tool_calls: [{ ...call, function: { name: 'f', arguments: '' } }] },
              ...[...json].map(text => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
            ),
      { hooks: [hook] },
    )
    const message = await messageOf(await say(`${mail} ${secret}`))
    expect(message.refusal).toBe(`Not ${mail}.`)
    const argumentsOf = (calls: unknown) =>
      (calls as { function?: { arguments?: string } }[])[0]?.function?.arguments ?? ''
    expect(JSON.parse(argumentsOf(message.tool_calls))).toEqual({ to: mail, text: secret })
    const deltas = await deltasOf(await say(`${mail} ${secret}`, { stream: true }))
    const streamed = deltas.map(delta => argumentsOf(delta.tool_calls ?? [])).join('')
    expect(JSON.parse(streamed)).toEqual({ to: mail, text: secret })
  })

  it('puts values back in a stream, wherever a placeholder is cut', async () => {
    const text = 'To [EMAIL_1] and [EMAIL_1], [EMAIL_12], [EMAIL_'
    const cuts = [...text].map((_, at) => at)
    const { say } = serving((_, index) => pieces(text.slice(0, cuts[index]), text.slice(cuts[index])), {
      hooks: [redact()],
    })
    for (const _ of cuts) {
      expect(await streamedText(await say(mail, { stream: true }))).toBe(
        `To ${mail} and ${mail}, [EMAIL_12], [EMAIL_`,
      )
    }
  })

  it('leaves addresses of images as they are', async () => {
    const { post, inputs } = serving(() => complete('A cat'), { hooks: [redact()] })
    const url = `https://example.com/?who=${mail}`
    await post('chat/completions', {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url } },
            { type: 'text', text: mail },
          ],
        },
      ],
    })
    expect(inputs[0]!.messages[0]!.content).toEqual([
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: '[EMAIL_1]' },
    ])
  })

  it('reads other forms of characters, and puts back what was written', async () => {
    const { say, inputs } = serving(() => complete('[EMAIL_1] [CARD_1]'), { hooks: [redact()] })
    const written = 'ann＠exam\u200bple.com'
    const digits = '４１１１\u00a0１１１１\u20111111 1111'
    const response = await say(`${written} ${digits}`)
    expect(contentOf(inputs[0])).toBe('[EMAIL_1] [CARD_1]')
    expect((await messageOf(response)).content).toBe(`${written} ${digits}`)
  })

  it('can be limited to kinds, to requests, and have other placeholders', async () => {
    const hook = redact({ kinds: ['email'], restore: false, placeholder: { open: '<<', close: '>>' } })
    const { say, inputs } = serving(() => complete('<<EMAIL_1>>'), { hooks: [hook] })
    const response = await say(`${mail} ${card}`)
    expect(contentOf(inputs[0])).toBe(`<<EMAIL_1>> ${card}`)
    expect((await messageOf(response)).content).toBe('<<EMAIL_1>>')
    expect(hook.onChunk).toBeUndefined()
  })

  it('replaces what models write', async () => {
    const written = `${mail} wrote ${card} and ${key}.`
    const { say, inputs } = serving((_, index) => (index === 0 ? complete(written) : pieces(...written)), {
      hooks: [redact({ direction: 'response' })],
    })
    expect((await messageOf(await say(mail))).content).toBe('[EMAIL] wrote [CARD] and [SECRET].')
    expect(contentOf(inputs[0])).toBe(mail)
    expect(await streamedText(await say('x', { stream: true }))).toBe('[EMAIL] wrote [CARD] and [SECRET].')
  })

  it('replaces what models write beside the values of the caller', async () => {
    const { say } = serving(() => complete(`[EMAIL_1] is not bob@example.com`), {
      hooks: [redact({ direction: 'both' })],
    })
    expect((await messageOf(await say(mail))).content).toBe(`${mail} is not [EMAIL]`)
  })

  it('keeps arguments valid JSON', async () => {
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'f', arguments: '{"a":4111111111111111,"b":"ann@example.com"}' },
    }
    const { say } = serving(() => complete('', { content: null, tool_calls: [call] }), {
      hooks: [redact({ direction: 'response' })],
    })
    const [{ function: made }] = (await messageOf(await say('x'))).tool_calls as [
      { function: { arguments: string } },
    ]
    expect(JSON.parse(made.arguments)).toEqual({ a: '[CARD]', b: '[EMAIL]' })
  })

  it('works in the other protocols', async () => {
    const { post, inputs } = serving(() => complete('To [EMAIL_1]'), { hooks: [redact()] })
    const messages = await post('messages', {
      max_tokens: 9,
      system: mail,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(await messages.json()).toMatchObject({ content: [{ type: 'text', text: `To ${mail}` }] })
    const responses = await post('responses', { input: `I am ${mail}` })
    const first = (await responses.json()) as { id: string; output: object[] }
    expect(JSON.stringify(first.output)).toContain(`To ${mail}`)
    const next = await post('responses', { input: 'And bob@example.com?', previous_response_id: first.id })
    expect(next.status).toBe(200)
    expect(JSON.stringify(inputs)).not.toContain('@')
  })

  it('leaves an invalid body to the validation of the gateway', async () => {
    const { post, warnings } = serving(() => complete('Hi'), { hooks: [redact()] })
    for (const messages of [
      undefined,
      null,
      7,
      [null],
      [{ role: 'user' }],
      [{ role: 'user', content: { a: mail } }],
    ]) {
      const response = await post('chat/completions', { messages })
      expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining(mail)])
    }
    expect(warnings()).toEqual([])
  })

  it.each<[string, unknown, RegExp]>([
    ['a kind', { kinds: ['ssn'] }, /kinds/],
    ['a misspelt option', { kind: ['email'] }, /kind.*kinds/],
    ['a direction', { direction: 'up' }, /direction/],
    ['a pattern', { patterns: [{ name: 'a', pattern: 'x' }] }, /patterns\[0\]\.pattern/],
    ['the name of a kind', { patterns: [{ name: 'email', pattern: /x/ }] }, /patterns\[0\]\.name/],
    ['a length', { patterns: [{ name: 'a', pattern: /x/, maxLength: 0 }] }, /maxLength/],
    ['a placeholder with letters', { placeholder: { open: 'X' } }, /placeholder/],
    ['no options', 7, /object/],
  ])('refuses invalid options: %s', (_, options, message) => {
    expect(() => redact(options as RedactOptions)).toThrow(ConfigurationError)
    expect(() => redact(options as RedactOptions)).toThrow(message)
  })
})

/** Runs the functions of a hook without a gateway: what a stream decides must not depend on its parts. */
class FakeStream {
  readonly #hook: Hook
  readonly #context = { state: {} } as unknown as HookContext

  constructor(hook: Hook, request: string) {
    this.#hook = hook
    const texts = [{ path: ['input'], text: request, role: 'user' as const }]
    void hook.onRequest?.({ texts } as unknown as HookRequest, this.#context)
  }

  /** What core does with the decisions, in the plainest way. */
  textOf(parts: readonly string[], kind: HookChunk['kind'] = 'text'): string {
    const { holdBack = 0 } = this.#hook
    let held = ''
    let before = ''
    let written = ''
    for (const [index, part] of [...parts, ''].entries()) {
      held += part
      const isLast = index === parts.length
      const until = isLast ? held.length : held.length - holdBack
      if (until <= 0) continue
      const decision = this.#hook.onChunk!({ kind, choice: 0, text: held, before, isLast }, this.#context)
      let at = 0
      for (const { start, end, text } of (
        decision as { replacements?: { start: number; end: number; text: string }[] }
      )?.replacements ?? []) {
        if (!isLast && start >= until) break
        expect(start).toBeGreaterThanOrEqual(at)
        written += held.slice(at, start) + text
        at = end
      }
      const next = Math.max(at, until)
      written += held.slice(at, next)
      before = (before + held.slice(0, next)).slice(-holdBack)
      held = held.slice(next)
    }
    return written
  }
}

const longToken = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI${'aB3'.repeat(200)}.${'x-_9'.repeat(150)}`
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${`${'Ab1+'.repeat(16)}\n`.repeat(20)}-----END RSA PRIVATE KEY-----`

describe('redact in a stream', () => {
  const hooks = { response: redact({ direction: 'response' }), both: redact({ direction: 'both' }) }

  it('finds values of any length: nothing of a long key is left', () => {
    const text = `Token ${longToken}.rest and ${longToken.slice(0, 500)} and key:\n${pem}\n${pem.slice(0, 900)}"done" ${mail}`
    const expected = 'Token [SECRET].rest and [SECRET] and key:\n[SECRET]\n[SECRET]"done" [EMAIL]'
    expect(new FakeStream(hooks.response, '').textOf([text])).toBe(expected)
    for (const size of [1, 2, 3, 7, 64, 319, 320, 321, 500]) {
      const parts = text.match(new RegExp(`[^]{1,${size}}`, 'g'))!
      expect(new FakeStream(hooks.response, '').textOf(parts)).toBe(expected)
    }
  })

  it('gives the text of a complete response, wherever it is cut', () => {
    const fragment = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...labelledTexts.map(({ text }) => text)) },
      fc.constantFrom(
        '[EMAIL_1]',
        '[EMAIL_',
        '1]',
        ' ',
        '\n',
        '"',
        '{',
        '\\',
        '😀',
        '+49',
        '4111',
        '-----BEGIN ',
        longToken.slice(0, 700),
        pem.slice(0, 600),
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(hooks.response, hooks.both),
        fc.array(fragment, { minLength: 1, maxLength: 6 }).map(all => all.join('')),
        fc.array(fc.nat(2_000), { maxLength: 12 }),
        (hook, text, positions) => {
          const at = [...new Set(positions)]
            .filter(each => each > 0 && each < text.length)
            .sort((a, b) => a - b)
          const parts = [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length))
          expect(new FakeStream(hook, mail).textOf(parts)).toBe(new FakeStream(hook, mail).textOf([text]))
        },
      ),
      { numRuns: 600 },
    )
  })
})
