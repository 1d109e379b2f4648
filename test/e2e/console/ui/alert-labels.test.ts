import { describe, expect, it } from 'vitest'
import { deliveryText, kindText } from '../../../../packages/console/ui/alerts/alert-labels.ts'

describe('an alert', () => {
  it.each([
    ['target_down', 'Target down'],
    ['some_new_kind', 'Some new kind'],
    ['constructor', 'Constructor'],
  ])('of the kind %s is called %s', (kind, text) => {
    expect(kindText(kind)).toBe(text)
  })

  it.each([
    ['sending', 1, [], 'Being sent'],
    ['delivered', 2, [], 'Delivered'],
    ['delivered', 3, ['x'], 'Delivered to 2 of 3 webhooks'],
    ['failed', 1, ['x'], 'Not delivered'],
    ['no_webhooks', 0, [], 'Shown here only: no webhooks'],
  ] as const)('%s to %i webhooks with failures %j: %s', (delivery, webhooks, failures, text) => {
    expect(deliveryText({ delivery, webhooks, failures })).toBe(text)
  })
})
