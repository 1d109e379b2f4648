import type OpenAI from 'openai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askBy, clientOf } from './ask.ts'
import { openPlaces, placeNames } from './places.ts'

const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]

let open: Awaited<ReturnType<typeof openPlaces>>
let client: OpenAI
beforeAll(async () => {
  open = await openPlaces()
  client = clientOf(open.baseURL)
})
afterAll(() => open.close())

/** The model that thinks where there is one: its answers carry the most that others could stumble over. */
const modelOf = (name: string) => open.places[name]!.thinking ?? open.places[name]!.plain
const effort = (name: string) =>
  open.places[name]!.thinking === undefined ? {} : ({ reasoning_effort: 'low' } as const)

it.each(placeNames)('what %s began, every other goes on with', async from => {
  const asked: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'user', content: 'Weather in Paris, then Oslo?' },
  ]
  for (const way of ['whole', 'streamed'] as const) {
    const begun = await askBy(client, way)({ model: modelOf(from), messages: asked, tools, ...effort(from) })
    const { message } = begun.completion.choices[0]!
    const result = { role: 'tool', tool_call_id: message.tool_calls![0]!.id, content: 'sun' } as const
    for (const to of placeNames) {
      const { standIn } = open.places[to]!
      const before = standIn.refused.length
      const messages = [...asked, message, result]
      const { completion } = await askBy(
        client,
        'whole',
      )({ model: modelOf(to), messages, tools, ...effort(to) }).catch((error: Error) => {
        throw new Error(`${to}: ${error.message} ${standIn.refused.slice(before)}`)
      })
      const calls = completion.choices[0]?.message.tool_calls
      expect(calls, to).toMatchObject([{ function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }])
    }
  }
})
