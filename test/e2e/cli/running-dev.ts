import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
// All that a service is made of is loaded when it is asked for: here, and not in the time of a test.
import '../../../packages/cli/src/dev/serve-dev.ts'
import {
  type FakeCommandContext,
  fakeCommandContext,
} from '../../../packages/cli/src/fake-command-context.ts'
import { main } from '../../../packages/cli/src/main.ts'

/** A folder of one test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** `sluice dev` that has told where it is. */
export interface RunningDev extends FakeCommandContext {
  readonly baseURL: string
  readonly key: string
  /** Resolves to the exit code. */
  readonly ended: Promise<number>
}

export interface DevStart {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly context?: Partial<FakeCommandContext['context']>
}

/** Starts `sluice dev` in this process, on a free port, without a look at this machine; it is stopped when the test ends. */
export async function runningDev({
  cwd = temporaryFolder(),
  env = {},
  args = [],
  context = {},
}: DevStart = {}): Promise<RunningDev> {
  const scripted = fakeCommandContext({ cwd, env, ...context })
  const discovers = env.OLLAMA_HOST !== undefined
  const port = args.includes('--port') ? [] : ['--port', '0']
  const ended = main(['dev', ...port, ...(discovers ? [] : ['--no-discover']), ...args], scripted.context)
  onTestFinished(async () => {
    if (!scripted.context.signal.aborted) scripted.stop()
    await ended
  })
  const early = ended.then(code => {
    throw new Error(`It ended with ${code}: ${scripted.printed()}${scripted.logged()}`)
  })
  await Promise.race([scripted.until(/Ctrl\+C/), early])
  early.catch(() => {})
  const banner = scripted.printed()
  return {
    ...scripted,
    baseURL: /running at (\S+)/.exec(banner)![1]!,
    key: /API key +(\S+)/.exec(banner)![1]!,
    ended,
  }
}

/** What a question to a model came to. */
export interface Asked {
  readonly status: number
  readonly text: string
  readonly code: string | undefined
  readonly message: string | undefined
  readonly adjustments: string | null
}

export async function asking(
  { baseURL, key }: Pick<RunningDev, 'baseURL' | 'key'>,
  model: string,
): Promise<Asked> {
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'What is 12 * 7?' }] }),
  })
  const { choices, error } = (await response.json()) as {
    choices?: { message: { content: string } }[]
    error?: { code: string; message: string }
  }
  return {
    status: response.status,
    text: choices?.[0]?.message.content ?? '',
    code: error?.code,
    message: error?.message,
    adjustments: response.headers.get('x-sluice-adjustments'),
  }
}
