// Takes the pictures of `docs/images/console-*.png`: `npx tsx test/e2e/console/take-pictures.ts`.
// It runs by Vite, as the tests do, so that the sources have the page.
import { createServer } from 'vite'

const vite = await createServer({
  configFile: 'vitest.config.ts',
  server: { middlewareMode: true, ws: false },
  optimizeDeps: { noDiscovery: true },
})
try {
  const { takePictures } = (await vite.ssrLoadModule('/test/e2e/console/pictures/take-pictures.ts')) as {
    takePictures(folder: string): Promise<void>
  }
  await takePictures(process.argv[2] ?? 'docs/images')
} finally {
  await vite.close()
}
