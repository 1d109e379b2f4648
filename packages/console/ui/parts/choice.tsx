import { useId } from 'preact/hooks'

/** One of several, from a list. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
  bare = false,
}: {
  label: string
  value: T
  options: readonly (readonly [T, string])[]
  onChange(value: T): void
  /** Leaves the label to screen readers: what stands beside it says the same. */
  bare?: boolean
}) {
  const id = useId()
  return (
    <div class="field inline">
      <label class={bare ? 'hidden' : undefined} for={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={event => onChange(event.currentTarget.value as T)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
