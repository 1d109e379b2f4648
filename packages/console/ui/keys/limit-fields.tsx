import type { LimitKind } from '@sluice/core'
import type { TypedLimit } from './typed-key.ts'

const kinds: readonly (readonly [LimitKind, string])[] = [
  ['requests', 'requests'],
  ['tokens', 'tokens'],
  ['concurrent', 'at once'],
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
  limits: readonly TypedLimit[]
  onChange(limits: readonly TypedLimit[]): void
}) {
  const change = (at: number, next: Partial<TypedLimit>) =>
    onChange(limits.map((limit, index) => (index === at ? { ...limit, ...next } : limit)))
  const kindOf = (at: number, kind: LimitKind) => change(at, { kind, per: windows[kind][0] ?? '' })
  return (
    <fieldset class="limits">
      <legend>Limits</legend>
      {limits.map(({ kind, limit, per }, at) => (
        <div class="limit" key={at}>
          <input
            type="number"
            min="0"
            step="any"
            required
            aria-label="How many"
            value={limit}
            onInput={event => change(at, { limit: event.currentTarget.value })}
          />
          <select
            aria-label="Of what"
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
              aria-label="Per"
              value={per}
              onChange={event => change(at, { per: event.currentTarget.value })}
            >
              {windows[kind].map(window => (
                <option key={window} value={window}>
                  {window === 'ever' ? 'in all' : `per ${window}`}
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
        </div>
      ))}
      <button
        class="button"
        type="button"
        onClick={() => onChange([...limits, { kind: 'requests', limit: '', per: 'minute' }])}
      >
        Add a limit
      </button>
    </fieldset>
  )
}
