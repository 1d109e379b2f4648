import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../../test/support/chat-draft.ts'
import { check, errorFrom, live, profiles, provider, schema } from '../../../test/validate-cases.ts'
import type { Principal } from '../../contracts/principal.ts'
import type { Capabilities, Provider, RequestExtension, Target } from '../../contracts/provider.ts'
import type { SkipReason } from '../../contracts/trace.ts'
import { GatewayError } from '../../errors/errors.ts'
import { type ValidationRules, validateRequest } from '../../gateway/validate-request.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { chatDialect } from './dialect.ts'
import { standardRequest } from './extensions.ts'

const accepting = (...accepts: RequestExtension[]): Target => ({
  provider: { ...provider, accepts },
  model: 'm',
})
const strictTarget: Target = { provider, model: 'strict' }
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const tool = { type: 'function', function: { name: 'f' } }
const user = (part: object, role = 'user') => ({ messages: [{ role, content: [part] }] })
const result = (part: object) => ({
  messages: [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: [part] },
  ],
})
const image = { type: 'image_url', image_url: { url: 'https://host.example/a.png' } }
const hello = { messages: [{ role: 'user', content: 'Hello!' }] }
const part = 'messages[0].content[0]'
const link = 'https://host.example/a'

/** The extension, a request that uses it, and where. */
const cases: readonly (readonly [name: RequestExtension, body: object, path: string])[] = [
  ['string_media', user({ type: 'image_url', image_url: link }), `${part}.image_url`],
  ['string_media', user({ type: 'image_url', image_url: 'data:image/png;base64,AA==' }), `${part}.image_url`],
  ['string_media', user({ type: 'input_audio', input_audio: 'UklGRg==' }), `${part}.input_audio`],
  ['string_media', user({ type: 'input_audio', input_audio: link }), `${part}.input_audio`],
  ['document_url', user({ type: 'document_url', document_url: link, document_name: 'a' }), `${part}.type`],
  ['document_url', user({ type: 'document_url', document_url: { url: link } }), `${part}.type`],
  [
    'video_url',
    user({ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AA==' } }),
    `${part}.type`,
  ],
  ['audio_url', user({ type: 'audio_url', audio_url: { url: link } }), `${part}.type`],
  ['file_url', user({ type: 'file_url', file_url: { url: link } }), `${part}.type`],
  ['tool_result_media', result(image), 'messages[2].content[0].type'],
  [
    'thinking_parts',
    user({ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], closed: true }, 'assistant'),
    `${part}.type`,
  ],
  ['thinking_parts', user({ type: 'thinking', thinking: 'Hm.' }, 'assistant'), `${part}.type`],
  ['tool_choice_any', { ...hello, tools: [tool], tool_choice: 'any' }, 'tool_choice'],
  ['untyped_tools', { ...hello, tools: [{ function: { name: 'f' } }] }, 'tools[0].type'],
  ['untyped_tools', { ...hello, tools: [{ type: null, function: { name: 'f' } }] }, 'tools[0].type'],
  [
    'untyped_tools',
    {
      messages: [
        { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'x' },
      ],
    },
    'messages[0].tool_calls[0].type',
  ],
  ['server_tools', { ...hello, tools: [tool, { type: 'acme:web_search', parameters: {} }] }, 'tools[1].type'],
  ['server_tools', { ...hello, tools: [tool], tool_choice: { type: 'acme:web_search' } }, 'tool_choice.type'],
  ['service_tiers', { ...hello, service_tier: 'on_demand' }, 'service_tier'],
]

interface Skipped extends SkipReason {
  readonly model: string
}

function checked(
  body: object,
  targets: readonly Target[],
  rules: ValidationRules,
  principal: Principal = { id: 'ann' },
) {
  const skipped: Skipped[] = []
  const draft = chatDraft({ body: { model: 'm', ...body } as JsonObject, bytes: 1 })
  const log = { skip: ({ model }: Target, why: SkipReason) => void skipped.push({ model, ...why }) }
  return { ...validateRequest(chatDialect, draft, principal, targets, rules, log), skipped }
}

/** The error for a request, without any target that accepts extensions. */
const protocolError = (body: object, rules: ValidationRules) =>
  errorFrom({ model: 'm', ...body }, rules).toBody()

describe('request extensions', () => {
  it.each(cases)(
    '%s: unread to a provider that accepts it, otherwise the error of the protocol',
    (name, body, path) => {
      for (const rules of profiles) {
        const before = structuredClone(body)
        const { request, targets } = checked(body, [accepting(name)], rules)
        expect(targets).toHaveLength(1)
        expect({ ...request.chat() }).toEqual({ model: 'm', ...before })
        expect(body).toEqual(before)

        const others = cases.map(([other]) => other).filter(other => other !== name)
        const error = protocolError(body, rules)
        for (const target of [accepting(), accepting(...others)]) {
          expect(errorFrom({ model: 'm', ...body }, rules, [target]).toBody()).toEqual(error)
        }

        const mixed = checked(body, [accepting(name), strictTarget], rules)
        expect(mixed.targets).toEqual(
          [accepting(name)].map(({ model }) => expect.objectContaining({ model })),
        )
        expect(mixed.skipped).toEqual([{ model: 'strict', why: 'unfit', detail: path }])
      }
    },
  )

  it('needs a provider that accepts all extensions of a request', () => {
    const both = { ...user({ type: 'video_url', video_url: { url: link } }), service_tier: 'on_demand' }
    const targets = [accepting('video_url'), accepting('service_tiers')]
    expect(errorFrom({ model: 'm', ...both }, schema, targets).param).toBe(`${part}.type`)
    expect(checked(both, [accepting('video_url', 'service_tiers')], schema).targets).toHaveLength(1)
  })

  it('refuses other errors of the request in the words of the protocol', () => {
    const all = accepting(...new Set(cases.map(([name]) => name)))
    const refused = (body: object, rules = schema) =>
      errorFrom({ model: 'm', ...body }, rules, [all]).toBody().error
    const video = { type: 'video_url', video_url: { url: link } }
    expect(refused(user({ type: 'hologram_url', hologram_url: link }))).toMatchObject({
      message:
        "Invalid value: 'hologram_url'. Supported values are: 'text', 'image_url', 'input_audio', and 'file'.",
      param: `${part}.type`,
    })
    expect(refused({ ...user(video), temperature: 3 })).toMatchObject({ param: 'temperature' })
    expect(refused({ messages: [{ role: 'user', content: [video, { type: 'text' }] }] })).toMatchObject({
      message: "Missing required parameter: 'messages[0].content[1].text'.",
      param: 'messages[0].content[1].text',
    })
    expect(refused({ ...hello, tools: [{ function: { name: 'a b' } }] })).toMatchObject({
      param: 'tools[0].function.name',
    })
    expect(refused({ ...hello, tool_choice: 'any' }, live)).toMatchObject({ param: 'tool_choice' })
  })

  it('are not accepted by a polluted prototype', () => {
    Object.defineProperty(Object.prototype, 'accepts', { value: ['server_tools'], configurable: true })
    try {
      const body = { ...hello, tools: [{ type: 'acme:web_search' }] }
      expect(() => checked(body, [strictTarget], schema)).toThrow(GatewayError)
    } finally {
      Reflect.deleteProperty(Object.prototype, 'accepts')
    }
  })

  it.each([
    ['a file of the server', user({ type: 'video_url', video_url: { url: 'file:///etc/passwd' } })],
    ['a link that is none', user({ type: 'document_url', document_url: 'x' })],
    ['a number as link', user({ type: 'file_url', file_url: 1 })],
    ['a file of the server as image', user({ type: 'image_url', image_url: 'file:///etc/passwd' })],
    ['a file of the server as audio', user({ type: 'input_audio', input_audio: 'file:///etc/passwd' })],
    ['thinking of another kind', user({ type: 'thinking', thinking: [1] }, 'assistant')],
    ['a video of the assistant', user({ type: 'video_url', video_url: { url: link } }, 'assistant')],
    ['a video of the system', user({ type: 'video_url', video_url: { url: link } }, 'system')],
    ['a broken image in a tool result', result({ type: 'image_url', image_url: { url: 'x' } })],
    ['a tool without type and function', { ...hello, tools: [{}] }],
    ['a tool with an empty type', { ...hello, tools: [{ type: '' }] }],
    ['a tool with an endless type', { ...hello, tools: [{ type: 'x'.repeat(65) }] }],
    ['a tool that is a string', { ...hello, tools: ['acme:web_search'] }],
    ['another tool choice', { ...hello, tool_choice: 'some' }],
    ['a service tier that is no name', { ...hello, service_tier: 'on demand' }],
    ['a service tier of another type', { ...hello, service_tier: 1 }],
  ])('refuses %s', (_, body) => {
    const all = accepting(...new Set(cases.map(([name]) => name)))
    expect(() => checked(body, [all], schema)).toThrow(GatewayError)
  })

  it.each([
    ['document_url', { type: 'document_url', document_url: link }, ['file']],
    ['audio_url', { type: 'audio_url', audio_url: { url: link } }, ['audio']],
    ['video_url', { type: 'video_url', video_url: { url: link } }, ['video']],
  ] as const)('%s needs a model with such input', (name, given, input) => {
    const { provider: acceptingProvider } = accepting(name)
    const target = (kinds: NonNullable<Capabilities['input']>): Target => ({
      provider: acceptingProvider,
      model: 'm',
      capabilities: { input: kinds },
    })
    expect(checked(user(given), [target(input)], schema).targets).toHaveLength(1)
    expect(errorFrom({ model: 'm', ...user(given) }, schema, [target(['image'])])).toMatchObject({
      message: `Invalid value: '${name}' is not supported with this model. Supported values are: 'text' and 'image_url'.`,
      param: `${part}.type`,
    })
  })

  it('removes shadows that do not accept an extension', () => {
    const body = { ...hello, service_tier: 'on_demand' }
    const target = { ...accepting('service_tiers'), shadows: [strictTarget, accepting('service_tiers')] }
    const { targets, skipped } = checked(body, [target], schema)
    expect(targets[0]).toMatchObject({ shadows: [{ model: 'm' }] })
    expect(skipped).toEqual([{ model: 'strict', why: 'unfit', detail: 'service_tier' }])
  })

  it('restricts extensions that a provider names in restrictedFields', () => {
    const body = { ...hello, tools: [{ type: 'acme:web_search' }] }
    const paid: Provider = {
      ...provider,
      accepts: ['server_tools'],
      restrictedFields: { server_tools: 'paid' },
    }
    const target: Target = { provider: paid, model: 'paid' }
    const bounded: Principal = { id: 'ann', models: ['m'] }
    expect(checked(body, [target], schema).targets).toHaveLength(1)
    const attempt = () => checked(body, [target], schema, bounded)
    expect(attempt).toThrow(
      expect.objectContaining({ status: 400, code: 'unsupported_parameter', param: 'tools[0].type' }),
    )
    expect(attempt).toThrow(/turns on features that cost extra/)
    expect(() => checked(body, [target], { ...schema, boundsAll: true })).toThrow(/cost extra/)

    const allowing: Target = { ...target, model: 'allowing', allowFields: ['server_tools'] }
    const mixed = checked(body, [target, allowing], schema, bounded)
    expect(mixed.targets).toEqual([allowing])
    expect(mixed.skipped).toEqual([{ model: 'paid', why: 'restricted_field', detail: 'tools[0].type' }])
    // A way around would be a choice of the tool.
    const choice = { ...hello, tools: [tool], tool_choice: { type: 'acme:web_search' } }
    expect(() => checked(choice, [target], schema, bounded)).toThrow(/cost extra/)
  })
})

describe('requests without extensions', () => {
  const json = fc.jsonValue({ maxDepth: 3 })
  const value = fc.oneof(
    { weight: 3, arbitrary: json },
    fc.constantFrom(...cases.map(([, body]) => body)),
    fc.constantFrom<unknown>('any', 'auto', [tool], [{ function: {} }], { type: 'function' }, [
      { role: 'user' },
    ]),
  )
  const field = fc.constantFrom('messages', 'tools', 'tool_choice', 'service_tier', 'temperature', 'x')
  const body = fc
    .tuple(fc.dictionary(field, value), fc.constantFrom(hello, {}, ...cases.map(([, given]) => given)))
    .map(([fields, given]) => ({ ...given, ...fields }))

  const outcome = (given: object, target: Target, rules: ValidationRules) => {
    try {
      return check({ model: 'm', ...given }, rules, [target]).request.chat()
    } catch (error) {
      if (error instanceof GatewayError) return error.toBody()
      throw error
    }
  }

  it('are validated as if no provider accepted any, and what is accepted has an extension', () => {
    const all = accepting(...new Set(cases.map(([name]) => name)))
    fc.assert(
      fc.property(body, fc.constantFrom(...profiles), (given, rules) => {
        const strict = outcome(given, strictTarget, rules)
        const lenient = outcome(given, all, rules)
        if (standardRequest(given as Record<string, unknown>).found.length === 0)
          expect(lenient).toEqual(strict)
        if ('error' in strict === false) expect(lenient).toEqual(strict)
      }),
      { numRuns: 2_000 },
    )
  })
})
