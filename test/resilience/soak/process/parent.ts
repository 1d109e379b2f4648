import type { Answers, Notices, QuestionMessage } from './messages.ts'

/** The one that started this process. */
export interface Parent<N extends Notices> {
  tell<K extends keyof N & string>(kind: K, value: N[K]): void
}

/**
 * Answers the parent's questions until it has gone; then this process ends, too. Whatever the process has to complain
 * of is told as an alarm.
 */
export function serveParent<A extends Answers, N extends Notices>(
  answers: {
    readonly [K in keyof A & string]: () => A[K] | Promise<A[K]>
  },
): Parent<N> {
  const send = (message: object) => {
    if (process.connected) process.send?.(message)
  }
  const alarm = (what: string) => (cause: unknown) => {
    send({ tell: 'alarm', value: `${what}: ${cause instanceof Error ? cause.stack : String(cause)}` })
  }
  process.on('uncaughtException', alarm('uncaught exception'))
  process.on('unhandledRejection', alarm('unhandled rejection'))
  process.on('warning', alarm('warning'))
  process.on('disconnect', () => process.exit())
  // Ctrl-C reaches every process of the terminal: the parent decides.
  process.on('SIGINT', () => {})
  process.on('message', ({ call, question }: QuestionMessage) => {
    const answer = async () => answers[question]?.()
    answer().then(
      value => send({ call, value: value ?? null }),
      error => send({ call, failed: String(error) }),
    )
  })
  return { tell: (kind, value) => send({ tell: kind, value }) }
}
