import type { CommandContext } from './command.ts'

/** A context for tests that records its output. */
export interface FakeCommandContext {
  readonly context: CommandContext
  readonly printed: () => string
  readonly logged: () => string
  /** Resolves when something was printed that fits. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>
  /** Ends the command, as Ctrl+C does. */
  readonly stop: () => void
}

/** A world of nothing but what is given. */
export function fakeCommandContext(given: Partial<CommandContext> = {}): FakeCommandContext {
  const texts = { printed: '', told: '' }
  const waiting = new Set<() => void>()
  const add = (name: keyof typeof texts) => (text: string) => {
    texts[name] += `${text}\n`
    for (const look of waiting) look()
  }
  const stopping = new AbortController()
  return {
    context: {
      env: {},
      cwd: '/nowhere',
      print: add('printed'),
      log: add('told'),
      platform: 'linux',
      terminal: false,
      colours: false,
      signal: stopping.signal,
      now: Date.now,
      openUrl: async () => {},
      onLine: undefined,
      networkAddresses: () => [],
      ...given,
    },
    printed: () => texts.printed,
    logged: () => texts.told,
    until: pattern =>
      new Promise(resolve => {
        const look = () => {
          const found = pattern.exec(texts.printed) ?? pattern.exec(texts.told)
          if (found === null) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    stop: () => stopping.abort(),
  }
}
