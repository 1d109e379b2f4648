import { useEffect } from 'preact/hooks'
import { useStore } from '../state/use-store.ts'
import { useSession } from './session.ts'

const everyMs = 30_000

/** The names of keys by their ids, loaded again while a view shows them. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { names } = useSession()
  useEffect(() => {
    names.refresh()
    const timer = setInterval(names.refresh, everyMs)
    return () => clearInterval(timer)
  }, [names])
  return useStore(names.state)
}
