import type { AlertRow } from '../../src/api.ts'

const kinds: Readonly<Record<string, string>> = {
  budget: 'Budget',
  error_rate: 'Error rate',
  latency: 'Latency',
  target_down: 'Target down',
}

/** Returns the label of a kind of alert; an unknown one in words. */
export function kindText(kind: string): string {
  if (Object.hasOwn(kinds, kind)) return kinds[kind]!
  const words = kind.replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Says what became of an alert: `Delivered to 1 of 2 webhooks`. */
export function deliveryText({
  delivery,
  webhooks,
  failures,
}: Pick<AlertRow, 'delivery' | 'webhooks' | 'failures'>): string {
  switch (delivery) {
    case 'sending':
      return 'Being sent'
    case 'delivered':
      return failures.length === 0
        ? 'Delivered'
        : `Delivered to ${webhooks - failures.length} of ${webhooks} webhooks`
    case 'failed':
      return 'Not delivered'
    case 'no_webhooks':
      return 'Shown here only: no webhooks'
    default:
      return delivery
  }
}
