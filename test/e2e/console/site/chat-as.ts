import type { Page } from 'playwright-core'

/** Has the chat use a caller's key. */
export async function chatAs(page: Page, key: string): Promise<void> {
  const options = page.getByText('Options', { exact: true })
  await options.click()
  await page.getByLabel('API key of a caller').fill(key)
  await options.click()
}
