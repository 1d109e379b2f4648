import fc from 'fast-check'

/** Values of a field as JSON texts: those that the published schema takes, and those that it does not. */
interface Field {
  readonly good: readonly string[]
  readonly bad: readonly string[]
}

const anyObject = ['{"a":1}', '{}']
const decimal = (low: string, high: string, ...bad: string[]): Field => ({
  good: ['0', '0.5', low, high, 'null'],
  bad: [...bad, '"1"', 'true', '[]', ...anyObject],
})
const integer = (good: string[], bad: string[]): Field => ({
  good: [...good, 'null'],
  bad: [...bad, '1.5', '"1"', 'false', '[1]', ...anyObject],
})
const boolean: Field = { good: ['true', 'false', 'null'], bad: ['0', '1', '"true"', '[]', ...anyObject] }
const word = (...good: string[]): Field => ({
  good: [...good.map(text => JSON.stringify(text)), 'null'],
  bad: ['"bogus"', '7', 'true', '[]', ...anyObject],
})
const long = (length: number) => JSON.stringify('x'.repeat(length))
const part = (content: string) => `[{"role":"user","content":${content}}]`
const listOf = (count: number, item: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join()}]`
const tool = (name: string, rest = '') => `[{"type":"function","function":{"name":${name}${rest}}}]`

/** From protocol sections 1, 1.1 and 1.2, as the published schema has it. */
const fields: Readonly<Record<string, Field>> = {
  model: { good: ['"m"', '"vendor/x"'], bad: ['""', 'null', '7', '[]', '{}', 'true'] },
  messages: {
    good: [
      part('"hi"'),
      part('""'),
      part('[{"type":"text","text":"a"}]'),
      part('[{"type":"image_url","image_url":{"url":"https://h/a.png"}}]'),
      '[{"role":"system","content":"s"},{"role":"developer","content":"d"},{"role":"user","content":"u"}]',
      '[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}]',
    ],
    bad: [
      ...['null', '[]', '"hi"', '{}', '7', '[7]', '[null]', '[[]]', '[{}]', '[{"content":"x"}]'],
      ...['[{"role":"bogus","content":"x"}]', '[{"role":"user"}]', part('7'), part('null'), part('[7]')],
      ...[part('[{"type":"bogus"}]'), part('[{"type":"text"}]'), '[{"role":"tool","content":"x"}]'],
      ...['[{"role":"assistant"}]', '[{"role":"user","content":"x","name":7}]'],
    ],
  },
  temperature: decimal('1e0', '2', '-0.1', '2.1'),
  top_p: decimal('0.0', '1', '-0.1', '1.1'),
  presence_penalty: decimal('-2', '2', '-2.1', '2.1'),
  frequency_penalty: decimal('-2', '2', '-2.1', '2.1'),
  n: integer(['1', '128'], ['0', '129', '-1']),
  max_tokens: integer(['0', '1', '100000'], ['-1']),
  max_completion_tokens: integer(['0', '1'], ['-1']),
  top_logprobs: integer(['0', '20'], ['-1', '21']),
  seed: integer(['0', '-9007199254740991', '9007199254740991'], []),
  stream: boolean,
  logprobs: boolean,
  store: boolean,
  parallel_tool_calls: boolean,
  stop: {
    good: ['"x"', '["a"]', '["a","b","c","d"]', 'null'],
    bad: ['7', '[7]', '["a","b","c","d","e"]', 'true', ...anyObject],
  },
  reasoning_effort: word('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  verbosity: word('low', 'medium', 'high'),
  service_tier: word('auto', 'default', 'flex', 'scale', 'priority', 'fast'),
  metadata: {
    good: ['{}', '{"a":"b"}', `{"a":${long(512)}}`, 'null'],
    bad: ['{"a":1}', `{"a":${long(513)}}`, `{${long(65)}:"a"}`, '[]', '"x"', '7'],
  },
  logit_bias: {
    good: ['{}', '{"5":-100}', '{"5":100}', 'null'],
    bad: ['{"5":-101}', '{"5":101}', '{"5":1.5}', '{"5":"1"}', '[]', '7'],
  },
  response_format: {
    good: [
      '{"type":"text"}',
      '{"type":"json_object"}',
      '{"type":"json_schema","json_schema":{"name":"a"}}',
      'null',
    ],
    bad: [
      '"text"',
      '{}',
      '{"type":"bogus"}',
      '{"type":"json_schema"}',
      '{"type":"json_schema","json_schema":{}}',
    ],
  },
  tools: {
    good: [
      tool('"f"'),
      tool('"f"', ',"parameters":{},"strict":true'),
      listOf(128, i => tool(`"f${i}"`).slice(1, -1)),
    ],
    bad: [
      ...['{}', '"x"', '[7]', '[{}]', '[{"type":"function"}]', tool('"a b"'), tool(long(65)), tool('7')],
      listOf(129, i => tool(`"f${i}"`).slice(1, -1)),
    ],
  },
  user: { good: ['"u"', '""', 'null'], bad: ['7', '[]', 'true', ...anyObject] },
  stream_options: {
    good: ['{}', '{"include_usage":true}', 'null'],
    bad: ['true', '[]', '{"include_usage":"x"}'],
  },
  vendor_key: { good: ['7', '"x"', '[]', '{"a":[null]}', 'null', 'true'], bad: [] },
}

/** The text of a request, and whether the published schema takes it. */
export interface ChatBody {
  readonly text: string
  readonly good: boolean
}

const optional = Object.keys(fields).slice(2)
const choice = fc.record({
  name: fc.constantFrom(...optional),
  value: fc.nat(),
  bad: fc.integer({ min: 0, max: 9 }).map(number => number === 0),
})

/** Requests of which about half are sound. */
export const chatBody: fc.Arbitrary<ChatBody> = fc
  .record({
    model: fc.nat(),
    messages: fc.nat(),
    bad: fc.constantFrom('', '', '', '', '', '', 'model', 'messages', 'no model', 'no messages'),
    rest: fc.uniqueArray(choice, { maxLength: 6, selector: ({ name }) => name }),
    order: fc.nat(),
  })
  .map(({ model, messages, bad, rest, order }) => {
    const members = rest.map(each => member(each.name, each.value, each.bad))
    if (bad !== 'no messages') members.unshift(member('messages', messages, bad === 'messages'))
    if (bad !== 'no model') members.unshift(member('model', model, bad === 'model'))
    const at = order % Math.max(1, members.length)
    const turned = [...members.slice(at), ...members.slice(0, at)]
    const good = !bad.startsWith('no ') && members.every(each => each.good)
    return { text: `{${turned.map(({ text }) => text).join()}}`, good }
  })

function member(name: string, number: number, wrong: boolean): ChatBody {
  const { good, bad } = fields[name] ?? { good: [], bad: [] }
  const isBad = wrong && bad.length > 0
  const values = isBad ? bad : good
  return { text: `${JSON.stringify(name)}:${values[number % values.length]}`, good: !isBad }
}
