import { useEffect, useState } from 'preact/hooks'

/** Milliseconds since 1970, told again every `everyMs` while `runs`. */
export function useClock(everyMs: number, runs = true): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, runs])
  return now
}
