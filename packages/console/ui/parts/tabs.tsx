/** Tabs over one panel, by the keyboard as the ARIA practices have them: arrows move, Tab goes on to the panel. */
export function Tabs<T extends string>({
  label,
  tabs,
  value,
  onChange,
  panel,
}: {
  label: string
  tabs: readonly (readonly [T, string])[]
  value: T
  onChange(value: T): void
  /** The id of the panel. */
  panel: string
}) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const at = tabs.findIndex(([name]) => name === value)
    const next = (at + step + tabs.length) % tabs.length
    onChange(tabs[next]![0])
    const list = event.currentTarget as HTMLElement
    list.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(([name, text]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === value}
          aria-controls={panel}
          tabIndex={name === value ? 0 : -1}
          onClick={() => onChange(name)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
