//! Just enough reading of Rust to find the paths in it.

/// The words and signs of a source text: identifiers, `::`, and every other character that is not white space by
/// itself. Comments and literals are left out.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (len, is_code) = match first {
            _ if first.is_whitespace() => (first.len_utf8(), false),
            _ if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), false),
            _ if rest.starts_with("/*") => (block_comment(rest), false),
            _ if rest.starts_with("::") => (2, true),
            '"' => (string(rest), false),
            '\'' => char_literal(rest).map_or((1, true), |len| (len, false)),
            _ if is_word(first) => {
                let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                raw_string(rest, len).map_or((len, true), |len| (len, false))
            }
            _ => (first.len_utf8(), true),
        };
        let (token, after) = rest.split_at(len);
        if is_code {
            tokens.push(token);
        }
        rest = after;
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of a comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
        } else if rest.starts_with("*/") {
            depth -= 1;
            if depth == 0 {
                return at + 2;
            }
        }
        at += rest.chars().next().expect("the comment ends").len_utf8();
    }
}

/// The length of a string literal.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text[1..].find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    1 + end.expect("the string ends") + 1
}

/// The length of a raw string literal, if that is what a word of this length begins.
fn raw_string(text: &str, word: usize) -> Option<usize> {
    if !["r", "br", "cr"].contains(&&text[..word]) {
        return None;
    }
    let hashes = text[word..].len() - text[word..].trim_start_matches('#').len();
    let body = text[word + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let body_len = body.find(&end).expect("the string ends");
    Some(word + hashes + 1 + body_len + end.len())
}

/// The length of a character literal, if it is one and not a lifetime.
fn char_literal(text: &str) -> Option<usize> {
    let mut inside = text[1..].chars();
    if inside.next()? == '\\' {
        // The character after the backslash may be the quote itself.
        return Some(3 + text[3..].find('\'')? + 1);
    }
    (inside.next()? == '\'').then(|| 1 + text[1..].chars().next().map_or(0, char::len_utf8) + 1)
}

/// Where the paths of a module's source lead that begin at `crate` or `super`: each as far as it is written, from the
/// crate's root. The root itself is the empty path.
pub fn references(module: &[&str], text: &str) -> Vec<Vec<String>> {
    let tokens = tokens(text);
    let token = |at: usize| tokens.get(at).copied().unwrap_or("");
    let mut found = Vec::new();
    // The modules around, and how many braces were open before each inline one.
    let mut path: Vec<String> = module.iter().map(|&name| name.into()).collect();
    let mut inline = Vec::new();
    let mut depth = 0;
    for at in 0..tokens.len() {
        match token(at) {
            "{" => {
                if at >= 2 && token(at - 2) == "mod" {
                    path.push(token(at - 1).into());
                    inline.push(depth);
                }
                depth += 1;
            }
            "}" => {
                depth -= 1;
                if inline.last() == Some(&depth) {
                    inline.pop();
                    path.pop();
                }
            }
            "crate" | "super" if token(at + 1) == "::" && token(at.wrapping_sub(1)) != "::" => {
                let mut base = if token(at) == "crate" { vec![] } else { parent(&path) };
                let mut next = at + 2;
                while token(next) == "super" {
                    base = parent(&base);
                    next += 2;
                }
                found.extend(leaves(base, &tokens, &mut next));
            }
            _ => (),
        }
    }
    found
}

fn parent(path: &[String]) -> Vec<String> {
    path[..path.len().saturating_sub(1)].to_vec()
}

/// The paths that a `use` tree or a plain path spells from here on.
fn leaves(mut base: Vec<String>, tokens: &[&str], at: &mut usize) -> Vec<Vec<String>> {
    let token = |at: usize| tokens.get(at).copied().unwrap_or("");
    loop {
        match token(*at) {
            "{" => {
                let mut all = Vec::new();
                *at += 1;
                while token(*at) != "}" {
                    match token(*at) {
                        "" => break,
                        "," => *at += 1,
                        _ => all.extend(leaves(base.clone(), tokens, at)),
                    }
                }
                *at += 1;
                return all;
            }
            // Of a tree's item `a as b`, `b` is no path.
            "as" => *at += 2,
            word if word.starts_with(is_word) => {
                if word != "self" {
                    base.push(word.into());
                }
                *at += 1;
            }
            "*" => *at += 1,
            "::" => *at += 1,
            _ => return vec![base],
        }
        // A path goes on only after `::`; a word without one before it is another thing.
        let goes_on = token(*at) == "::" || token(*at - 1) == "::" || token(*at) == "as";
        if !goes_on {
            return vec![base];
        }
    }
}
