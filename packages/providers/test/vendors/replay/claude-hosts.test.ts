import type { AssistantMessage } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { inMemory } from './in-memory.ts'
import { present, recordings } from './recordings.ts'
import { vendors } from './vendors.ts'

// Signatures of Claude hold on each of its hosts (Extended thinking, Thinking encryption): what one gave goes back to
// another, in that one's form.

type Json = Record<string, unknown>

const origin = 'http://127.0.0.1:9'
const user = { role: 'user', content: 'Hello!' } as const

/** Claude, as each host names it. */
const models = {
  anthropic: 'claude-sonnet-4-5',
  vertex: 'claude-sonnet-4-5',
  bedrock: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
}
type Host = keyof typeof models

describe.skipIf(!present)('recorded thoughts of Claude (skipped where ../shared/fixtures is absent)', () => {
  describe.each([
    ['anthropic', 'redacted-thinking.json'],
    ['bedrock', 'converse-redacted.json'],
    ['anthropic', 'thinking.json'],
  ] as const)('of %s/%s', (host, file) => {
    it.each(Object.keys(models) as Host[])('go back to %s', async other => {
      const { bytes } = recordings.find(({ name }) => name === `${host}/${file}`)!
      const thought = thoughtIn(JSON.parse(Buffer.from(bytes).toString()) as Json)
      const sent = await sentBack(other, await answered(host, bytes))
      expect(thoughtIn(sent)).toEqual(thought)
    })
  })
})

/** What a caller keeps of an answer. */
async function answered(host: Host, bytes: Uint8Array): Promise<AssistantMessage> {
  const { provider } = vendors[host].connect(origin)
  const call = { model: models[host], input: { model: models[host], messages: [user] } }
  const reply = await provider.decode(inMemory('application/json', [bytes]), call)
  if (reply.kind !== 'completion') throw new TypeError('expected a whole answer')
  const { content = null, reasoning_details } = reply.completion.choices[0]!.message
  return { role: 'assistant', content, ...{ reasoning_details } }
}

/** The message of the assistant as a host gets it, in the next request. */
async function sentBack(host: Host, message: AssistantMessage): Promise<Json> {
  const model = models[host]
  const { provider } = vendors[host].connect(origin)
  const input = { model, messages: [user, message, user], reasoning_effort: 'low' } as const
  const { body } = await provider.encode({ model, input })
  const { messages } = JSON.parse(String(body)) as { messages: Json[] }
  return messages[1]!
}

/** The first block, a thought, whichever host's words it is in. Bytes are base64 in Amazon's JSON. */
function thoughtIn(answer: Json): Json {
  const { message = answer } = (answer.output ?? {}) as Json
  const [block] = (message as { content: Json[] }).content
  const { reasoningText, redactedContent } = (block!.reasoningContent ?? {}) as Json
  if (reasoningText !== undefined) {
    const { text, signature } = reasoningText as Json
    return { type: 'thinking', thinking: text, signature }
  }
  return redactedContent === undefined
    ? block!
    : { type: 'redacted_thinking', data: Buffer.from(String(redactedContent), 'base64').toString() }
}
