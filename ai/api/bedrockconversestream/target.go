package bedrockconversestream

import (
	"net/url"
	"strings"

	"github.com/pi-go/pi/ai"
)

// standardRegion is where requests go when nothing names a region.
const standardRegion = "us-east-1"

// target is where a request goes and for which region it is signed.
type target struct {
	region string
	url    string
}

// targetOf finds the address of a call; configured is asked for a region when
// nothing else names one.
func targetOf(call *ai.Call, o Options, configured func() string) (target, error) {
	base := call.BaseURL
	own, ownRegion := vendorHost(base)
	region := arnRegion(call.Model.ID)
	for _, r := range []string{o.Region, call.Env.Lookup("AWS_REGION"), call.Env.Lookup("AWS_DEFAULT_REGION")} {
		if region == "" {
			region = strings.TrimSpace(r)
		}
	}
	if region == "" {
		region = configured()
	}
	named := region != ""
	if region == "" {
		region = ownRegion
	}
	if region == "" {
		region = standardRegion
	}
	if strings.ContainsAny(region, "/.:@?# ") {
		return target{}, ai.Errorf(ai.KindConfig, "%q is no AWS region", region)
	}
	if base == "" || own && named {
		base = "https://bedrock-runtime." + region + "." + domain(region)
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return target{}, ai.Errorf(ai.KindConfig, "%q is no address of Amazon Bedrock", base)
	}
	return target{region: region, url: strings.TrimRight(base, "/") + "/model/" + escapeID(call.Model.ID) + "/converse-stream"}, nil
}

// domain is that of the vendor's part of the world.
func domain(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// vendorHost reports whether an address is a plain one of the vendor, and its
// region.
func vendorHost(base string) (own bool, region string) {
	u, err := url.Parse(base)
	if err != nil {
		return false, ""
	}
	rest, ok := strings.CutPrefix(u.Hostname(), "bedrock-runtime.")
	if !ok || u.Port() != "" || strings.Trim(u.Path, "/") != "" {
		return false, ""
	}
	for _, d := range []string{".amazonaws.com", ".amazonaws.com.cn"} {
		if region, ok := strings.CutSuffix(rest, d); ok && !strings.Contains(region, ".") {
			return true, region
		}
	}
	return false, ""
}

// arnRegion is the region of arn:partition:service:region:….
func arnRegion(id string) string {
	parts := strings.Split(id, ":")
	if len(parts) < 6 || parts[0] != "arn" {
		return ""
	}
	return parts[3]
}

// escapeID is a model's id as one part of a path.
func escapeID(id string) string {
	return strings.ReplaceAll(url.PathEscape(id), ":", "%3A")
}
