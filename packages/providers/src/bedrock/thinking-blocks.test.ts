import type { Call, PartialMessage } from '@sluice/core/provider'
import { expect, it } from 'vitest'
import { scriptedEvent } from '../../test/bedrock/scripted-frames.ts'
import { answered, encoded, hi, sonnet46, tool, use } from '../../test/bedrock/scripted-request.ts'
import { scriptedResponse } from '../../test/scripted-response.ts'
import { bedrock } from '../bedrock.ts'

const thought = (text: string) => ({
  reasoningContent: { reasoningText: { text, signature: `signed ${text}` } },
})
const said = [thought('one'), { text: 'First a.' }, use('a'), thought('two'), use('b')]

function events(): Uint8Array[] {
  const blocks = said.flatMap((block, contentBlockIndex) => {
    const stop = scriptedEvent({ contentBlockStop: { contentBlockIndex } })
    const delta = (delta: object) => scriptedEvent({ contentBlockDelta: { contentBlockIndex, delta } })
    if ('toolUse' in block) {
      const { toolUseId, name } = block.toolUse
      const start = { toolUse: { toolUseId, name } }
      return [scriptedEvent({ contentBlockStart: { contentBlockIndex, start } }), stop]
    }
    if ('text' in block) return [delta({ text: block.text }), stop]
    const { text, signature } = block.reasoningContent.reasoningText
    return [delta({ reasoningContent: { text } }), delta({ reasoningContent: { signature } }), stop]
  })
  return [
    scriptedEvent({ messageStart: { role: 'assistant' } }),
    ...blocks,
    scriptedEvent({ messageStop: { stopReason: 'tool_use' } }),
  ]
}

/** The parts of the assistant's message that a client sends back. */
async function messageOf(stream: boolean): Promise<PartialMessage> {
  const { provider } = bedrock({ region: 'us-east-1', bearerToken: 'token' })
  const call: Call = { model: sonnet46, input: { model: 'public', messages: [], stream } }
  const body = stream
    ? events()
    : JSON.stringify({ output: { message: { role: 'assistant', content: said } }, stopReason: 'tool_use' })
  const reply = await provider.decode(scriptedResponse({ body }), call)
  if (reply.kind === 'completion') return reply.completion.choices[0]!.message
  let content = ''
  let message: PartialMessage = {}
  const tool_calls: { id: string; type: 'function'; function: object }[] = []
  for await (const chunks of reply.chunks) {
    for (const { delta } of chunks.flatMap(({ choices }) => choices)) {
      content += delta.content ?? ''
      for (const { id, function: made } of delta.tool_calls ?? []) {
        const called = { name: made?.name ?? '', arguments: '{}' }
        if (id !== undefined) tool_calls.push({ id, type: 'function', function: called })
      }
      message = { ...message, ...delta }
    }
  }
  return { ...message, content, tool_calls: tool_calls as never }
}

it.each([false, true])('gives thoughts back where they stood between calls (streamed: %s)', async stream => {
  const message = { role: 'assistant', ...(await messageOf(stream)) }
  const messages = [hi, message, answered('a'), answered('b')]
  const { body } = await encoded({ messages, tools: [tool('f')], reasoning_effort: 'low' }, sonnet46)
  expect((body.messages as { content: unknown }[])[1]?.content).toEqual(said)
})
