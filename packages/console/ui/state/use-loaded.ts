import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** Something that is asked for: not here yet, here, or failed. What was here stays while it is asked for again. */
export interface Loaded<T> {
  readonly value: T | undefined
  readonly error: string | undefined
  /** Asks again. */
  reload(): void
}

const maxLoadMs = 30_000

/**
 * Asks with `ask`, again when one of `inputs` changes, and every `everyMs` where that is given, unless the last answer is
 * still awaited: on a slow network it would never come. After half a minute it is given up.
 */
export function useLoaded<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  everyMs?: number,
): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: string }>({})
  const running = useRef<AbortController | undefined>(undefined)
  const began = useRef(0)
  const reload = useCallback(() => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    began.current = Date.now()
    const ended = () => {
      if (running.current === controller) running.current = undefined
    }
    ask(controller.signal).then(
      value => {
        ended()
        if (!controller.signal.aborted) setState({ value })
      },
      (error: unknown) => {
        ended()
        const text = error instanceof Error ? error.message : String(error)
        if (!controller.signal.aborted) setState(last => ({ ...last, error: text }))
      },
    )
  }, inputs)
  useEffect(() => {
    reload()
    const again = () => {
      if (running.current === undefined || Date.now() - began.current > maxLoadMs) reload()
    }
    const timer = everyMs === undefined ? undefined : setInterval(again, everyMs)
    return () => {
      clearInterval(timer)
      running.current?.abort()
      running.current = undefined
    }
  }, [reload, everyMs])
  return { value: state.value, error: state.error, reload }
}
