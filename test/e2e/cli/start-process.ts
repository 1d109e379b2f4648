import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** A command in a process of its own, such as the command line. */
export interface SluiceProcess {
  readonly child: ChildProcess
  /** Resolves to its exit code when it has ended and all that it printed has come. */
  readonly exited: Promise<number | null>
  /** What it has printed so far, on each stream. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Waits until it has printed something that fits, on either stream. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>
}

/** What of this process's environment would change what is printed. */
const scrubbed =
  /^(?:\w+_(?:API_KEY|BASE_URL)|OLLAMA_HOST|SLUICE_\w+|HOST|PORT|NO_COLOR|FORCE_COLOR|NODE_ENV)$/

export interface SluiceStart {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a command without the settings of whoever runs the tests; it is killed when the test ends. */
export function startProcess(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: SluiceStart,
): SluiceProcess {
  const rest = Object.fromEntries(Object.entries(process.env).filter(([name]) => !scrubbed.test(name)))
  const child = spawn(command, args, {
    cwd,
    env: { ...rest, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const texts = { stdout: '', stderr: '' }
  let changed = () => {}
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', text => {
      texts[name] += text
      changed()
    })
  }
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    exited,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    until: pattern =>
      new Promise((resolve, reject) => {
        changed = () => {
          const found = pattern.exec(texts.stdout) ?? pattern.exec(texts.stderr)
          if (found !== null) resolve(found)
        }
        changed()
        void exited.then(code =>
          reject(
            new Error(`It ended with ${code} before it printed ${pattern}:\n${texts.stdout}${texts.stderr}`),
          ),
        )
      }),
  }
}
