import { useState } from 'preact/hooks'

/** A form that is sent: whether it is under way, and why it was refused. */
export interface Sending {
  readonly busy: boolean
  readonly problem: string | undefined
  /** Sends; what is thrown becomes the problem. */
  send(work: () => Promise<void>): void
}

export function useSending(): Sending {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const send = (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(undefined)
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false))
  }
  return { busy, problem, send }
}
