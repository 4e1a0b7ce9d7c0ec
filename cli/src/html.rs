//! Pages of one file each: a template, style, script, and what is shown as data.

use crate::fail::Failure;
use serde::Serialize;
use std::io;

/// The page of a template, in which `{{title}}`, `{{style}}`, `{{data}}` and `{{script}}` stand for these.
pub fn page(
    template: &str,
    title: &str,
    styles: &[&str],
    script: &str,
    data: &impl Serialize,
) -> Result<String, Failure> {
    // Nothing in it may end the element.
    let data = serde_json::to_string(data).map_err(io::Error::from)?.replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let style = styles.concat();
    let parts = [("title", title.as_str()), ("style", &style), ("data", &data), ("script", script)];
    let mut page = String::with_capacity(data.len() + (1 << 16));
    let mut rest = template;
    // In their order, and once: what is put in is not searched.
    while let Some((before, behind)) = rest.split_once("{{") {
        let (name, behind) = behind.split_once("}}").unwrap_or_default();
        page += before;
        page += parts.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
        rest = behind;
    }
    Ok(page + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_cannot_become_markup() {
        let template = "<title>{{title}}</title><style>{{style}}</style>{{data}}<script>{{script}}</script>";
        let page = page(template, "a<b>&{{data}}", &["x{", "}"], "1 < 2", &"</script>{{title}}").unwrap();
        let want = "<title>a&lt;b>&amp;{{data}}</title><style>x{}</style>\"\\u003c/script>{{title}}\"<script>1 < 2</script>";
        assert_eq!(page, want);
    }
}
