import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { hasNginx, startNginx } from './nginx.ts'
import { start, stop, told } from './processes.ts'

/** An answer as a hosted vendor's, of some 560 bytes. */
const answer = JSON.stringify({
  id: 'chatcmpl-CfTq0a8ZxS3uE5hVn1kQyB2wLr7Pd',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-4o-2024-08-06',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: '12 * 7 = 84. Is there more to reckon?',
        refusal: null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: 19,
    completion_tokens: 13,
    total_tokens: 32,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  },
  service_tier: 'default',
  system_fingerprint: 'fp_b7a8f1c2d3',
})

/** A vendor that answers whole, by a process of its own. */
export interface Upstream {
  readonly url: string
  /** What it is, to be read by people. */
  readonly said: string
  stop(): Promise<void>
}

export async function startUpstream(): Promise<Upstream> {
  if (hasNginx()) return { ...(await startNginx(answer)), said: 'nginx' }
  const said = 'a server by Node, for there is no nginx: all figures with 32 connections are bounded by it'
  console.log(`MIND: the upstream is ${said}.`)
  const { child, url } = await startNodeUpstream('whole-process.mjs', answer)
  return { url, said, stop: () => stop(child) }
}

/** A program in `upstreams`, by the Node that runs this. */
export async function startNodeUpstream(
  program: string,
  argument: string,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const path = fileURLToPath(new URL(`upstreams/${program}`, import.meta.url))
  const child = start(process.execPath, [path, argument], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  return { child, url: `http://127.0.0.1:${await told<number>(child, program)}` }
}
