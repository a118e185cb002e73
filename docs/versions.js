// Lets the reader choose a version of the site. `tools/assemble_site.py` puts the list of them, VERSIONS, in front, and the
// file beside their folders, so that the pages of an old version know of later ones.
const root = new URL(".", document.currentScript.src).href;
const [shown, ...page] = location.href.slice(root.length).split("/");
const choice = document.createElement("select");
choice.setAttribute("aria-label", "Version");
choice.append(...VERSIONS.map((version) => new Option(version, version, false, version === shown)));
choice.addEventListener("change", async () => {
  // The same page of the chosen version, or its first one where it has no such page.
  const same = `${root}${choice.value}/${page.join("/")}`;
  const found = await fetch(same, { method: "HEAD" }).catch(() => ({ ok: false }));
  location.href = found.ok ? same : `${root}${choice.value}/index.html`;
});
document.getElementById("versions").append(choice);
