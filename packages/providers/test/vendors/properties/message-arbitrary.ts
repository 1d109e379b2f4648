import fc from 'fast-check'
import { jsonValue, oddKey, oddText } from './odd-text.ts'
import { seldom, withSome as withSomeFields } from './seldom.ts'
import { toolName } from './tool-arbitrary.ts'

type Body = Record<string, unknown>

const cacheControl = fc.constant({ type: 'ephemeral' })

const withSome = (
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
) => withSomeFields(required, optional, () => 8)

const textPart = withSome({ type: fc.constant('text'), text: oddText }, { cache_control: cacheControl })
const image = fc.record({
  type: fc.constant('image_url'),
  image_url: withSome(
    {
      url: fc.oneof(
        {
          weight: 6,
          arbitrary: fc.constantFrom('png', 'jpeg', 'webp', 'gif').map(type => `data:image/${type};base64,`),
        },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            'https://images.example/a.png',
            'data:image/svg+xml,%3Csvg%2F%3E',
            'data:x',
          ),
        },
      ),
    },
    { detail: fc.constantFrom('auto', 'low', 'high') },
  ),
})
const file = fc.record({
  type: fc.constant('file'),
  file: withSome(
    {},
    {
      file_data: fc.constantFrom(
        'data:application/pdf;base64,',
        'data:text/plain;base64,',
        'data:text/csv;base64,',
      ),
      filename: fc.constantFrom('a.pdf', 'a b(1).txt', 'ü.csv', ''),
      file_id: fc.constant('file-1'),
    },
  ),
})
const audio = fc.constantFrom('wav', 'mp3').map(format => ({
  type: 'input_audio',
  input_audio: { data: '', format },
}))

const texts = (part: fc.Arbitrary<unknown>, least = 0) =>
  fc.oneof(
    { weight: 2, arbitrary: oddText },
    { weight: 1, arbitrary: fc.array(part, { minLength: least, maxLength: 3 }) },
  )

const userPart = fc.oneof(
  { weight: 6, arbitrary: textPart },
  { weight: 3, arbitrary: image },
  { weight: 1, arbitrary: file },
  { weight: 1, arbitrary: audio },
)

const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/)
const system = withSome(
  { role: fc.constantFrom('system', 'developer'), content: texts(textPart) },
  { name, cache_control: cacheControl },
)
const user = withSome(
  { role: fc.constant('user'), content: texts(userPart) },
  { name, cache_control: cacheControl },
)

const details = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('reasoning.text'),
      text: oddText,
      signature: oddText,
      format: fc.constantFrom('anthropic-claude-v1', 'google-gemini-v1', 'openai-responses-v1'),
      index: fc.nat({ max: 1 }),
    }),
    fc.record({
      type: fc.constant('reasoning.encrypted'),
      data: fc.constantFrom('QUJD', '', '%'),
      format: fc.constantFrom('anthropic-claude-v1', 'google-gemini-v1'),
    }),
    jsonValue,
  ),
  { maxLength: 3 },
)
const extensions = {
  name,
  cache_control: cacheControl,
  reasoning_content: oddText,
  reasoning_details: details,
}

const assistantText = withSome(
  { role: fc.constant('assistant'), content: texts(textPart, 1) },
  { ...extensions, refusal: oddText, annotations: fc.constant([]) },
)
/** What no vendor but the protocol's own takes. */
const rare = fc.constantFrom<Body>(
  { role: 'assistant', content: 'x', audio: { id: 'audio_1' } },
  { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
  { role: 'function', name: 'f', content: 'x' },
  { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
)

const callId = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^call_[a-zA-Z0-9]{6}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a', 'toolu_01', 'with space', 'é', '', 'x'.repeat(200), 'a.b:c-d'),
  },
)
const input = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .dictionary(oddKey, jsonValue, { maxKeys: 2, noNullPrototype: true })
      .map(value => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.constantFrom('', ' {}\n', '[1]', 'null', '"x"', '{"a":', '{"a":1,"a":2}') },
)
const signature = fc.constantFrom<unknown>(
  { google: { thought_signature: 'QUJD' } },
  { google: { thought_signature: 7 } },
  { other: {} },
)
const call = fc.tuple(callId, toolName, input, seldom(signature, 6)).map(([id, tool, json, extra]) => ({
  id,
  type: 'function',
  function: { name: tool, arguments: json },
  ...(extra === undefined ? {} : { extra_content: extra }),
}))

/** Calls and what came of them: mostly one result for each call, in any order. */
const round = fc
  .tuple(
    fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
    withSome({ role: fc.constant('assistant') }, { ...extensions, content: texts(textPart, 1) }),
    fc.infiniteStream(fc.tuple(fc.nat(), texts(textPart))),
    fc.oneof(
      { weight: 9, arbitrary: fc.constant('each') },
      { weight: 1, arbitrary: fc.constantFrom('none', 'orphan') },
    ),
  )
  .map(([calls, assistant, results, which]): Body[] => {
    const ids = which === 'none' ? [] : which === 'orphan' ? ['call_of_nobody'] : calls.map(({ id }) => id)
    const answers = ids.map(id => {
      const [place, content] = results.next().value
      return { place, message: { role: 'tool', tool_call_id: id, content } }
    })
    answers.sort((a, b) => a.place - b.place)
    return [{ ...assistant, tool_calls: calls }, ...answers.map(({ message }) => message)]
  })

/** The messages of a conversation; most begin with the user. */
export const messages: fc.Arbitrary<Body[]> = fc
  .tuple(
    fc.array(system, { maxLength: 2 }),
    fc.option(user, { freq: 10, nil: undefined }),
    fc.array(
      fc.oneof(
        { weight: 8, arbitrary: user.map(message => [message]) },
        { weight: 5, arbitrary: assistantText.map(message => [message]) },
        { weight: 8, arbitrary: round },
        { weight: 1, arbitrary: system.map(message => [message]) },
        {
          weight: 1,
          arbitrary: fc.oneof(
            { weight: 3, arbitrary: fc.constant([]) },
            { weight: 1, arbitrary: rare.map(message => [message]) },
          ),
        },
      ),
      { maxLength: 5 },
    ),
  )
  .map(([before, first, rest]) => [...before, ...(first === undefined ? [] : [first]), ...rest.flat()])
