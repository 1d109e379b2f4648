import { useEffect } from 'preact/hooks'
import type { AlertRow } from '../../src/api.ts'
import { callerName } from '../session/key-names.ts'
import { useSession } from '../session/session.ts'
import { useStore } from '../state/use-store.ts'

/** What an alert says, with the name of the key instead of its id. */
export function AlertText({ row: { text, key, source, rule } }: { row: AlertRow }) {
  const { names } = useSession()
  const known = useStore(names.state)
  useEffect(() => {
    if (key !== undefined) names.want([{ id: key, source }])
  }, [names, key, source])
  if (key === undefined) return <>{text}</>
  const name = callerName({ id: key, source }, known)
  return <span title={rule}>{name === key ? text : text.replace(`key ${key}`, () => `key ${name}`)}</span>
}
