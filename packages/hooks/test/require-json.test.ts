import { ConfigurationError } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { type RequireJsonOptions, redact, requireJson } from '../src/index.ts'
import { complete, errorOf, messageOf, pieces, serving, streamedText } from './support/serving.ts'

const schema = {
  type: 'object',
  properties: { age: { $ref: '#/$defs/age' }, tags: { type: 'array', items: { enum: ['a', 'b'] } } },
  required: ['age'],
  additionalProperties: false,
  $defs: { age: { type: 'integer', minimum: 0 } },
}
const format = { response_format: { type: 'json_schema', json_schema: { name: 'person', schema } } }

/** A gateway whose model answers with these texts, one after another. */
function answering(texts: readonly string[], options: RequireJsonOptions = {}) {
  return serving((_, index) => complete(texts[index]!), { hooks: [requireJson(options)] })
}

describe('requireJson', () => {
  it.each([
    ['JSON', '{"age":1}', '{"age":1}'],
    ['JSON of another type', '[1]', '[1]'],
    ['white space', '\n {"age": 1}\n', '\n {"age": 1}\n'],
    ['a code fence', '```json\n{"age":1}\n```', '{"age":1}'],
    ['a code fence without a language', '```\n{"age":1}```', '{"age":1}'],
    ['a code fence with text around it', 'Here:\n```json\n{"age":1}\n```\nDone.', '{"age":1}'],
  ])('lets %s pass', async (_, text, expected) => {
    const { say, inputs } = answering([text])
    expect((await messageOf(await say('x'))).content).toBe(expected)
    expect(inputs).toHaveLength(1)
  })

  it('calls the model once more, and says what was wrong', async () => {
    const { say, inputs } = answering(['Sure!', '{"age":1}'])
    expect((await messageOf(await say('x'))).content).toBe('{"age":1}')
    expect(inputs[1]!.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Sure!' },
      { role: 'user', content: 'The response is not valid JSON. Respond again, with nothing but the JSON.' },
    ])
  })

  it.each(['No', '', '{"age":1', '```\n{"age":1}\n``` or ```\n{}\n```'])(
    'refuses %j after that',
    async text => {
      const { say, inputs } = answering([text, text])
      const response = await say('x')
      expect([response.status, (await errorOf(response)).message]).toEqual([
        400,
        'The response is not valid JSON.',
      ])
      expect(inputs).toHaveLength(2)
      const once = answering([text], { retry: false })
      expect((await once.say('x')).status).toBe(400)
      expect(once.inputs).toHaveLength(1)
    },
  )

  it.each([
    ['{"age":"1"}', '#/properties/age/$ref/type'],
    ['{"age":-1}', '#/properties/age/$ref/minimum'],
    ['{}', '#/required'],
    ['{"age":1,"secret":2}', '#/additionalProperties'],
    ['{"age":1,"tags":["c"]}', '#/properties/tags/items/enum'],
  ])('checks the schema of the request: %s', async (text, path) => {
    const { say } = answering([text], { retry: false })
    const { message } = await errorOf(await say('x', format))
    expect(message).toContain(`The response does not fit the JSON schema at ${path}`)
    expect(message).not.toContain('secret')
  })

  it('finds the schema in each protocol', async () => {
    const user = [{ role: 'user', content: 'x' }]
    const asked: [string, object][] = [
      ['chat/completions', { messages: user, ...format }],
      ['responses', { input: 'x', text: { format: { type: 'json_schema', name: 'person', schema } } }],
      [
        'messages',
        { max_tokens: 9, messages: user, output_config: { format: { type: 'json_schema', schema } } },
      ],
    ]
    for (const [path, body] of asked) {
      const { post } = answering(['{"age":1}', '[]'], { retry: false, when: 'requested' })
      expect([path, (await post(path, body)).status]).toEqual([path, 200])
      expect([path, (await post(path, body)).status]).toEqual([path, 400])
    }
  })

  it('can be limited to requests for JSON', async () => {
    const { say } = answering(['Hi', 'Hi'], { when: 'requested', retry: false })
    expect((await say('x')).status).toBe(200)
    expect((await say('x', { response_format: { type: 'json_object' } })).status).toBe(400)
  })

  it('prefers its own schema', async () => {
    const { say } = answering(['{"age":1}', '["ab"]', '["b"]'], {
      schema: { type: 'array', items: { pattern: '^a' } },
      retry: false,
    })
    expect((await say('x', format)).status).toBe(400)
    expect((await say('x', format)).status).toBe(200)
    expect((await say('x', format)).status).toBe(400)
  })

  it('lets tool calls and refusals pass', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [{ tool_calls: [call] }, { refusal: 'No.', content: null }]
    const { say } = serving((_, index) => complete('Let me see.', messages[index]), {
      hooks: [requireJson()],
    })
    expect((await messageOf(await say('x'))).tool_calls).toHaveLength(1)
    expect((await messageOf(await say('x'))).refusal).toBe('No.')
  })

  it('holds streams back, and ends those without JSON with an error', async () => {
    const { say, inputs } = serving(
      (_, index) => (index === 0 ? pieces('```json\n{"a', '":1}\n```') : pieces('Sure', '!')),
      { hooks: [requireJson()] },
    )
    expect(await streamedText(await say('x', { stream: true }))).toBe('{"a":1}')
    const body = await (await say('x', { stream: true })).text()
    expect(body).toContain('The response is not valid JSON.')
    expect(body).not.toMatch(/Sure|DONE/)
    expect(inputs).toHaveLength(2)
  })

  it('checks what redact puts back, and shows the vendor nothing of it', async () => {
    const { say, inputs } = serving(
      (_, index) => complete(index === 0 ? 'To [EMAIL_1]' : '{"to":"[EMAIL_1]"}'),
      {
        hooks: [redact(), requireJson()],
      },
    )
    const { content } = await messageOf(await say('ann@example.com'))
    expect(content).toBe('{"to":"ann@example.com"}')
    expect(JSON.stringify(inputs)).not.toContain('@')
  })

  it.each<[string, object | boolean]>([
    ['a reference without an end', { $ref: '#' }],
    [
      'references that double',
      {
        ...Object.fromEntries([['$ref', '#/$defs/0']]),
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, at) => [
            at,
            at === 39 ? {} : { allOf: [{ $ref: `#/$defs/${at + 1}` }, { $ref: `#/$defs/${at + 1}` }] },
          ]),
        ),
      },
    ],
    ['many alternatives', { items: { allOf: Array.from({ length: 5_000 }, () => true) } }],
  ])('refuses a schema of a caller that takes too long: %s', async (_, hostile) => {
    const { say, inputs, warnings } = answering([
      JSON.stringify(Array.from({ length: 2_000 }, (_, at) => at)),
    ])
    const started = performance.now()
    const response = await say('x', {
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: hostile } },
    })
    expect([response.status, (await errorOf(response)).message]).toEqual([
      400,
      expect.stringMatching(/^The JSON schema (takes too long to check|is invalid)\.$/),
    ])
    expect(inputs).toHaveLength(1)
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(warnings()).toEqual([])
  })

  it('runs no pattern of a caller', async () => {
    const { say } = answering([JSON.stringify('a'.repeat(40))])
    const evil = { pattern: '^(a|aa|a+)+$b', format: 'email' }
    expect(
      (await say('x', { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: evil } } }))
        .status,
    ).toBe(200)
  })

  it.each([
    [{ $ref: 'https://example.com/other.json' }],
    [{ $ref: '#/$defs/none' }],
    [{ properties: { a: { $ref: 'http://[' } } }],
  ])('refuses an invalid schema before the model is called: %j', async invalid => {
    const { say, inputs } = answering(['{}'])
    const response = await say('x', {
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: invalid } },
    })
    expect([response.status, (await errorOf(response)).message]).toEqual([
      400,
      expect.stringContaining('The JSON schema'),
    ])
    expect(inputs).toEqual([])
  })

  it('leaves an invalid body to the validation of the gateway', async () => {
    const { post, warnings } = answering([])
    for (const body of [
      { messages: 7 },
      { messages: [], response_format: 7 },
      { response_format: { type: 'json_schema' } },
    ]) {
      expect((await post('chat/completions', body)).status).toBe(400)
    }
    expect(warnings()).toEqual([])
  })

  it.each<[unknown, RegExp]>([
    [{ schema: 7 }, /schema/],
    [{ schema: { $ref: '#/none' } }, /schema: .*refers/],
    [{ retry: 1 }, /retry/],
    [{ when: 'never' }, /when/],
  ])('is checked: %j', (options, message) => {
    expect(() => requireJson(options as RequireJsonOptions)).toThrow(ConfigurationError)
    expect(() => requireJson(options as RequireJsonOptions)).toThrow(message)
  })
})
