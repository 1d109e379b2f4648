import type { LimitKind } from '@sluice/core'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { LimitFormValues } from './key-form.ts'
import { limitMore } from './limit-text.ts'

const kinds: readonly (readonly [LimitKind, string])[] = [
  ['requests', 'requests'],
  ['tokens', 'tokens'],
  ['concurrent', 'concurrent'],
  ['budget', 'US dollars'],
]

/** The spans that each kind is counted by; the first is where it begins. */
const windows: Readonly<Record<LimitKind, readonly string[]>> = {
  requests: ['minute', 'second', 'hour', 'day'],
  tokens: ['minute', 'second', 'hour', 'day'],
  concurrent: [],
  budget: ['day', 'hour', 'week', 'month', 'ever'],
}

/** Rules of the key's own, one a line. */
export function LimitFields({
  limits,
  onChange,
}: {
  limits: readonly LimitFormValues[]
  onChange(limits: readonly LimitFormValues[]): void
}) {
  const change = (at: number, next: Partial<LimitFormValues>) =>
    onChange(limits.map((limit, index) => (index === at ? { ...limit, ...next } : limit)))
  const kindOf = (at: number, kind: LimitKind) => change(at, { kind, per: windows[kind][0] ?? '' })
  const box = useRef<HTMLFieldSetElement>(null)
  const count = useRef(limits.length)
  useLayoutEffect(() => {
    // Who adds one types it next; with one that is removed goes the button that was pressed.
    const fields = box.current?.querySelectorAll<HTMLElement>('input, .add')
    if (limits.length > count.current) fields?.[limits.length - 1]?.focus()
    else if (limits.length < count.current) fields?.[limits.length]?.focus()
    count.current = limits.length
  }, [limits.length])
  return (
    <fieldset class="limits" ref={box}>
      <legend>Limits</legend>
      {limits.map(({ rule, kind, limit, per }, at) => (
        <div class="limit" key={at}>
          <input
            type="number"
            min="0"
            step="any"
            required
            aria-label={nameOf('How many', at)}
            value={limit}
            onInput={event => change(at, { limit: event.currentTarget.value })}
          />
          <select
            aria-label={nameOf('Of what', at)}
            value={kind}
            onChange={event => kindOf(at, event.currentTarget.value as LimitKind)}
          >
            {kinds.map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
          {windows[kind].length > 0 && (
            <select
              aria-label={nameOf('Per', at)}
              value={per}
              onChange={event => change(at, { per: event.currentTarget.value })}
            >
              {windows[kind].map(window => (
                <option key={window} value={window}>
                  {window === 'ever' ? 'in total' : `per ${window}`}
                </option>
              ))}
            </select>
          )}
          <button
            class="button quiet"
            type="button"
            aria-label={`Remove limit ${at + 1}`}
            onClick={() => onChange(limits.filter((_, index) => index !== at))}
          >
            Remove
          </button>
          {rule !== undefined && limitMore(rule) !== '' && (
            <small class="muted limit-more">{limitMore(rule)}</small>
          )}
        </div>
      ))}
      <button
        class="button add"
        type="button"
        onClick={() => onChange([...limits, { kind: 'requests', limit: '', per: 'minute' }])}
      >
        Add a limit
      </button>
    </fieldset>
  )
}

/** Several limits have the same fields. */
function nameOf(what: string, at: number): string {
  return at === 0 ? what : `${what}, limit ${at + 1}`
}
