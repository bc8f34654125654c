export default function Home() {
  return <main>Ask the shop.</main>;
}
