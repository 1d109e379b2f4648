import { readSse } from '@sluice/testing'
import { expect, it } from 'vitest'
import { expectCompletion } from './expect-completion.ts'
import { expectStream } from './expect-stream.ts'
import type { Recording } from './recordings.ts'
import { replaying } from './vendor.ts'

/** A call as Snowflake Cortex sends it in a whole answer: each member of the protocol is there, and most are empty. */
const answer = {
  id: '',
  object: 'chat.completion',
  created: 1_783_468_049,
  model: 'claude-sonnet-4-6',
  choices: [
    {
      index: 0,
      finish_reason: '',
      logprobs: { content: null, refusal: null },
      message: {
        role: 'assistant',
        content: '',
        refusal: '',
        annotations: null,
        audio: { data: '', expires_at: 0, id: '', transcript: '' },
        function_call: { arguments: '', name: '' },
        tool_calls: [
          {
            id: 'toolu_bdrk_01',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Mexico City"}' },
            custom: { input: '', name: '' },
          },
        ],
      },
    },
  ],
  service_tier: '',
  system_fingerprint: '',
  usage: { prompt_tokens: 568, completion_tokens: 55, total_tokens: 623 },
}

const recording: Recording = {
  name: 'snowflake/tool-calls',
  kind: 'whole',
  status: 200,
  contentType: 'application/json',
  bytes: new TextEncoder().encode(JSON.stringify(answer)),
}
const { ask } = await replaying([recording])
const call = {
  id: 'toolu_bdrk_01',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Mexico City"}' },
}

it('a function call that comes with an empty custom member stays a function call', async () => {
  const { status, body } = await ask(recording, 'whole')
  expect(status, body).toBe(200)
  const completion = JSON.parse(body)
  expectCompletion(completion, recording.name)
  expect(completion.choices).toMatchObject([{ finish_reason: 'tool_calls', message: { content: null } }])
  expect(completion.choices[0].message.tool_calls).toEqual([call])
})

it('and is streamed as one', async () => {
  const { bytes } = await ask(recording, 'whole', { stream: true, stream_options: { include_usage: true } })
  const { choices } = expectStream(await readSse(bytes), { model: recording.name, includeUsage: true })
  expect(choices[0]?.calls).toEqual([{ id: call.id, ...call.function }])
})
