import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** Something that is asked for: not here yet, here, or failed. What was here stays while it is asked for again. */
export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: string | undefined
  /** Asks again. */
  reload(): void
}

/** Asks with `ask`, again when one of `inputs` changes, and every `everyMs` where that is given. */
export function useLoaded<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  everyMs?: number,
): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: string }>({})
  const running = useRef<AbortController>()
  const reload = useCallback(() => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    ask(controller.signal).then(
      value => {
        if (!controller.signal.aborted) setState({ value })
      },
      (error: unknown) => {
        const text = error instanceof Error ? error.message : String(error)
        if (!controller.signal.aborted) setState(last => ({ ...last, error: text }))
      },
    )
  }, inputs)
  useEffect(() => {
    reload()
    const timer = everyMs === undefined ? undefined : setInterval(reload, everyMs)
    return () => {
      clearInterval(timer)
      running.current?.abort()
    }
  }, [reload, everyMs])
  return { value: state.value, error: state.error, reload }
}
